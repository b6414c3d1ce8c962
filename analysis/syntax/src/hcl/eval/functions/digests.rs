//! Digests of texts and of files.

use data_encoding::{BASE64, HEXLOWER};
use sha2::{Digest, Sha256, Sha512};

use super::super::scope::FileRequest;
use super::super::value::Value;
use super::{Args, Fault, Given, files};

fn hex(bytes: &[u8]) -> Given {
    Ok(Value::string(&HEXLOWER.encode(bytes)))
}

fn base64(bytes: &[u8]) -> Given {
    Ok(Value::string(&BASE64.encode(bytes)))
}

/// What is made of the text of a file.
fn of_file(args: &Args<'_>, digest: impl FnOnce(&str) -> Given) -> Given {
    let read = files::ask(args, FileRequest::Read(args.string(0)?))?;
    match read.as_str() {
        Some(text) => {
            args.spend(text.len() / 64)?;
            digest(text)
        }
        None => Ok(read),
    }
}

/// A text, taking steps for its length.
fn text<'a>(args: &'a Args<'_>) -> Result<&'a str, Fault> {
    let text = args.string(0)?;
    args.spend(text.len() / 64)?;
    Ok(text)
}

pub(super) fn md5(args: &Args<'_>) -> Given {
    hex(&md5::compute(text(args)?).0)
}

pub(super) fn sha256(args: &Args<'_>) -> Given {
    hex(&Sha256::digest(text(args)?))
}

pub(super) fn sha512(args: &Args<'_>) -> Given {
    hex(&Sha512::digest(text(args)?))
}

pub(super) fn base64sha256(args: &Args<'_>) -> Given {
    base64(&Sha256::digest(text(args)?))
}

pub(super) fn base64sha512(args: &Args<'_>) -> Given {
    base64(&Sha512::digest(text(args)?))
}

pub(super) fn filemd5(args: &Args<'_>) -> Given {
    of_file(args, |text| hex(&md5::compute(text).0))
}

pub(super) fn filesha256(args: &Args<'_>) -> Given {
    of_file(args, |text| hex(&Sha256::digest(text)))
}

pub(super) fn filesha512(args: &Args<'_>) -> Given {
    of_file(args, |text| hex(&Sha512::digest(text)))
}

pub(super) fn filebase64sha256(args: &Args<'_>) -> Given {
    of_file(args, |text| base64(&Sha256::digest(text)))
}

pub(super) fn filebase64sha512(args: &Args<'_>) -> Given {
    of_file(args, |text| base64(&Sha512::digest(text)))
}

pub(super) fn filebase64(args: &Args<'_>) -> Given {
    of_file(args, |text| base64(text.as_bytes()))
}

pub(super) fn filesha1(args: &Args<'_>) -> Given {
    of_file(args, |text| hex(&sha1_of(text.as_bytes())))
}

pub(super) fn sha1(args: &Args<'_>) -> Given {
    hex(&sha1_of(text(args)?.as_bytes()))
}

/// The id of a name in a namespace, as RFC 4122 has it in version 5.
pub(super) fn uuid_of_name(namespace: [u8; 16], name: &str) -> Value {
    let mut bytes = namespace.to_vec();
    bytes.extend_from_slice(name.as_bytes());
    let mut id = sha1_of(&bytes);
    let [_, _, _, _, _, _, version, _, variant, ..] = &mut id;
    *version = *version & 0x0f | 0x50;
    *variant = *variant & 0x3f | 0x80;
    let mut text = HEXLOWER.encode(id.get(..16).unwrap_or_default());
    for at in [20, 16, 12, 8] {
        text.insert(at, '-');
    }
    Value::string(&text)
}

/// SHA-1, by RFC 3174.
fn sha1_of(text: &[u8]) -> [u8; 20] {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut padded = text.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    let bits = u64::try_from(text.len()).unwrap_or(u64::MAX).wrapping_mul(8);
    padded.extend_from_slice(&bits.to_be_bytes());
    for block in padded.chunks_exact(64) {
        let words = block.chunks_exact(4);
        let mut words: Vec<u32> = words
            .map(|word| word.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte)))
            .collect();
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for round in 0..80 {
            if round >= 16 {
                let before = |back: usize| words.get(round - back).copied().unwrap_or_default();
                words.push((before(3) ^ before(8) ^ before(14) ^ before(16)).rotate_left(1));
            }
            let (mixed, constant) = match round {
                0..20 => (b & c | !b & d, 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6),
            };
            let word = words.get(round).copied().unwrap_or_default();
            let next = a
                .rotate_left(5)
                .wrapping_add(mixed)
                .wrapping_add(e)
                .wrapping_add(constant)
                .wrapping_add(word);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(part);
        }
    }
    let mut digest = [0; 20];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}
