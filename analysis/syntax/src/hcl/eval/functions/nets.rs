//! Functions on address ranges.
//!
//! Source: Terraform 1.11, which reads addresses as older versions of Go did: leading zeros are decimal.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::super::types::Type;
use super::super::value::Value;
use super::{Args, Fault, Given, files};

/// Addresses with a common prefix.
#[derive(Clone, Copy)]
struct Net {
    /// The first address.
    start: u128,
    /// The number of bits that all have in common.
    len: u32,
    /// The number of bits of an address.
    bits: u32,
}

const MAPPED: &str = "IPv4 addresses in IPv6 are not supported";

impl Net {
    fn parse(text: &str) -> Result<Self, Fault> {
        let refuse = || Fault::new(format!("\"{text}\" is not an address range such as `10.0.0.0/8`"));
        let (address, len) = text.split_once('/').ok_or_else(refuse)?;
        let (start, bits) = address_of(address).ok_or_else(refuse)?;
        let is_number = !len.is_empty() && len.len() < 10 && len.bytes().all(|b| b.is_ascii_digit());
        let len: u32 = len.parse().ok().filter(|_| is_number).ok_or_else(refuse)?;
        if len > bits {
            return Err(refuse());
        }
        let mut net = Self { start, len, bits };
        net.start &= !net.hosts();
        Ok(net)
    }

    /// A mask of the bits that are not common.
    fn hosts(self) -> u128 {
        low_bits(self.bits - self.len)
    }

    fn last(self) -> u128 {
        self.start | self.hosts()
    }

    fn address(self, address: u128) -> Result<String, Fault> {
        if self.bits == 32 {
            let narrow = u32::try_from(address).unwrap_or(u32::MAX);
            return Ok(Ipv4Addr::from(narrow).to_string());
        }
        let wide = Ipv6Addr::from(address);
        if wide.to_ipv4_mapped().is_some() {
            return Err(Fault::open(MAPPED));
        }
        Ok(wide.to_string())
    }

    fn text(self) -> Given {
        let start = self.address(self.start)?;
        Ok(Value::string(&format!("{start}/{}", self.len)))
    }
}

fn low_bits(count: u32) -> u128 {
    1u128.checked_shl(count).map_or(u128::MAX, |bit| bit - 1)
}

/// An address, and its number of bits.
fn address_of(text: &str) -> Option<(u128, u32)> {
    if text.contains(':') {
        let address: Ipv6Addr = text.parse().ok()?;
        return Some((u128::from(address), 128));
    }
    let mut value = 0u128;
    let mut parts = 0;
    for part in text.split('.') {
        let is_number = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let digits = part.trim_start_matches('0');
        let byte: u8 = match (is_number, digits) {
            (false, _) => return None,
            (true, "") => 0,
            (true, digits) => digits.parse().ok()?,
        };
        value = value << 8 | u128::from(byte);
        parts += 1;
    }
    (parts == 4).then_some((value, 32))
}

pub(super) fn cidrhost(args: &Args<'_>) -> Given {
    let net = Net::parse(args.string(0)?)?;
    let number = args.large(1)?;
    // The last is -1.
    let (distance, is_from_end) = match number {
        0.. => (number.unsigned_abs(), false),
        _ => (number.unsigned_abs() - 1, true),
    };
    if distance > net.hosts() {
        return Err(Fault::new(format!(
            "a prefix of {} bits has no host of number {number}",
            net.len
        )));
    }
    let host = if is_from_end {
        net.last() - distance
    } else {
        net.start + distance
    };
    net.address(host).map(|text| Value::string(&text))
}

pub(super) fn cidrnetmask(args: &Args<'_>) -> Given {
    let text = args.string(0)?;
    let net = Net::parse(text)?;
    if net.bits != 32 && Ipv6Addr::from(net.start).to_ipv4_mapped().is_some() {
        return Err(Fault::open(MAPPED));
    }
    if net.bits != 32 {
        return Err(Fault::new("IPv6 addresses have no mask"));
    }
    let mask = low_bits(32) & !net.hosts();
    net.address(mask).map(|text| Value::string(&text))
}

pub(super) fn cidrsubnet(args: &Args<'_>) -> Given {
    let net = Net::parse(args.string(0)?)?;
    let (more, number) = (args.whole(1)?, args.large(2)?);
    let Ok(more) = u32::try_from(more) else {
        return Err(Fault::open("shortening a prefix is not supported"));
    };
    let len = net.len.saturating_add(more);
    if len > net.bits {
        return Err(Fault::new(format!(
            "a prefix of {} bits cannot be {more} bits longer",
            net.len
        )));
    }
    let Ok(number) = u128::try_from(number) else {
        return Ok(files::unknown(
            "negative subnet numbers are not supported",
            Type::String,
        ));
    };
    if number > low_bits(more) {
        return Err(Fault::new(format!(
            "{more} more bits give no subnet of number {number}"
        )));
    }
    let start = net.start | number.checked_shl(net.bits - len).unwrap_or(0);
    Net { start, len, ..net }.text()
}

pub(super) fn cidrsubnets(args: &Args<'_>) -> Given {
    let net = Net::parse(args.string(0)?)?;
    let mut found = Vec::new();
    // Terraform looks for the first subnet after the one before the network, and no address precedes the first
    // one.
    let mut next = (net.start != 0).then_some(net.start);
    for index in 1..args.values.len() {
        let more = args.whole(index)?;
        let more = match u32::try_from(more) {
            Ok(more @ 1..=32) => more,
            Ok(33..) => return Err(Fault::new("a prefix can become at most 32 bits longer")),
            _ => return Err(Fault::new("the prefix must become at least one bit longer")),
        };
        let len = net.len + more;
        if len > net.bits {
            return Err(Fault::new(format!("a prefix of {len} bits is too long")));
        }
        let hosts = low_bits(net.bits - len);
        let start = next
            .and_then(|next| next.checked_add(hosts))
            .map(|next| next & !hosts)
            .filter(|start| *start <= net.last());
        let Some(start) = start else {
            return Err(Fault::new(format!(
                "no addresses are left for a subnet with a prefix of {len} bits"
            )));
        };
        let subnet = Net { start, len, ..net };
        next = subnet.last().checked_add(1);
        found.push(subnet.text()?);
    }
    Ok(Value::list(found, Type::String))
}

/// A function that only OpenTofu has.
pub(super) fn cidrcontains(args: &Args<'_>) -> Given {
    let net = Net::parse(args.string(0)?)?;
    let text = args.string(1)?;
    let other = match address_of(text) {
        Some((start, bits)) => Net {
            start,
            len: bits,
            bits,
        },
        None => Net::parse(text)?,
    };
    let is_in = other.bits == net.bits && other.start >= net.start && other.last() <= net.last();
    Ok(Value::bool(is_in))
}
