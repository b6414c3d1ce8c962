//! Digests of texts and of files.

use data_encoding::{BASE64, HEXLOWER};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::super::scope::{FileRequest, Reads};
use super::super::value::Value;
use super::{Args, Fault, Given, files};

fn hex(bytes: &[u8]) -> Given {
    Ok(Value::string(&HEXLOWER.encode(bytes)))
}

fn base64(bytes: &[u8]) -> Given {
    Ok(Value::string(&BASE64.encode(bytes)))
}

/// The result of a function on the text of a file.
fn of_file(args: &Args<'_>, digest: impl FnOnce(&str) -> Given) -> Given {
    let read = files::ask(args, FileRequest::Read(args.string(0)?, Reads::Bytes))?;
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
    of_file(args, |text| hex(&Sha1::digest(text)))
}

pub(super) fn sha1(args: &Args<'_>) -> Given {
    hex(&Sha1::digest(text(args)?))
}

/// The ID of a name in a namespace, version 5 of RFC 4122.
pub(super) fn uuid_of_name(namespace: [u8; 16], name: &str) -> Value {
    let mut id: [u8; 20] = Sha1::new()
        .chain_update(namespace)
        .chain_update(name)
        .finalize()
        .into();
    let [_, _, _, _, _, _, version, _, variant, ..] = &mut id;
    *version = *version & 0x0f | 0x50;
    *variant = *variant & 0x3f | 0x80;
    let mut text = HEXLOWER.encode(id.get(..16).unwrap_or_default());
    for at in [20, 16, 12, 8] {
        text.insert(at, '-');
    }
    Value::string(&text)
}
