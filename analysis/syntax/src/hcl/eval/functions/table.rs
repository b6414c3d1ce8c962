//! Which functions exist, their parameters and results, and those that are known by name only.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::function::{Function, Kept, Marking, Param, Passes, Ret, Wants};
use super::{
    collections, convert_to, csv, digests, encoding, files, format, lazy, maps, marks, nets, numbers,
    results, sets, strings, templates, times, versions, yaml, yaml_encode,
};
use crate::hcl::eval::marks::Marks;
use crate::hcl::eval::scope::FunctionRef;

const fn p(wants: Wants) -> Param {
    Param { wants, null: false }
}

const fn nullable(wants: Wants) -> Param {
    Param { wants, null: true }
}

pub(super) const S: Param = p(Wants::String);
const N: Param = p(Wants::Number);
pub(super) const A: Param = p(Wants::Any);
const LS: Param = p(Wants::ListOfString);
const LA: Param = p(Wants::ListOfAny);
const L: Param = p(Wants::Listed);
const Q: Param = p(Wants::Sequence);
const M: Param = p(Wants::Mapping);
const V: Param = nullable(Wants::Any);

static COMMON: &[Function] = &[
    Function::new("abs", &[N], Ret::Number, numbers::abs)
        .total()
        .keeps(false),
    Function::new("abspath", &[S], Ret::String, files::abspath),
    Function::new(
        "alltrue",
        &[p(Wants::ListOfBool)],
        Ret::Bool,
        collections::alltrue,
    )
    .partial(),
    Function::new(
        "anytrue",
        &[p(Wants::ListOfBool)],
        Ret::Bool,
        collections::anytrue,
    )
    .partial(),
    Function::new("base64decode", &[S], Ret::String, encoding::base64decode).may_fail(|_| true),
    Function::new("base64encode", &[S], Ret::String, encoding::base64encode),
    Function::new("basename", &[S], Ret::String, files::basename),
    Function::lazy("can", lazy::can),
    Function::new("ceil", &[N], Ret::Number, numbers::ceil).total(),
    Function::new("chomp", &[S], Ret::String, strings::chomp).passes(Passes::Certain(strings::same_word)),
    Function::new("chunklist", &[LA, N], Ret::Any, collections::chunklist)
        .may_fail(|_| true)
        .shallow()
        .typed(results::chunklist)
        .keeps(false),
    Function::new("coalesce", &[], Ret::Any, collections::coalesce)
        .and(nullable(Wants::Any))
        .shallow()
        .typed(results::coalesce)
        .passes(Passes::FirstGiven)
        .knows(results::known_first)
        .open(),
    Function::new("coalescelist", &[], Ret::Any, collections::coalescelist)
        .may_fail(results::has_none_filled)
        .and(V)
        .shallow()
        .typed(results::coalescelist)
        .settled(results::first_filled)
        .open(),
    Function::new("compact", &[LS], Ret::Strings, collections::compact)
        .passes(Passes::Certain(collections::compacted)),
    Function::new("concat", &[], Ret::Any, collections::concat)
        .and(A)
        .shallow()
        .typed(results::concat)
        .keeps(false),
    Function::new("contains", &[A, A], Ret::Bool, collections::contains)
        .shallow()
        .total()
        .may_fail(results::is_not_sequence),
    Function::new("dirname", &[S], Ret::String, files::dirname),
    Function::new("distinct", &[LA], Ret::Any, collections::distinct)
        .typed(results::first_list)
        .passes(Passes::Certain(collections::all_same)),
    Function::new("element", &[L, N], Ret::Any, collections::element)
        .may_fail(|_| true)
        .shallow()
        .typed(results::element)
        .nullable()
        .marks(Marking::Kept(Kept {
            first: 1,
            takes_unknown: false,
            marks: marks::of_first,
        })),
    Function::new("endswith", &[S, S], Ret::Bool, strings::endswith),
    Function::new("file", &[S], Ret::String, files::file).may_fail(|_| true),
    Function::new("fileexists", &[S], Ret::Bool, files::fileexists),
    Function::new("fileset", &[S, S], Ret::Any, files::fileset).typed(results::names),
    Function::new("flatten", &[A], Ret::Any, collections::flatten)
        .shallow()
        .marks(Marking::Kept(Kept {
            first: usize::MAX,
            takes_unknown: false,
            marks: marks::of_sequences,
        })),
    Function::new("floor", &[N], Ret::Number, numbers::floor).total(),
    Function::new("format", &[S], Ret::String, format::format)
        .and(nullable(Wants::Any))
        .passes(Passes::Certain(format::format_identity))
        .knows(results::known_format),
    Function::new("formatlist", &[S], Ret::Any, format::formatlist)
        .may_fail(|_| true)
        .and(nullable(Wants::Any))
        .typed(results::strings)
        .partial(),
    Function::new("indent", &[N, S], Ret::String, strings::indent),
    Function::new("index", &[A, A], Ret::Any, collections::index)
        .may_fail(|_| true)
        .partial()
        .typed(results::index),
    Function::new("join", &[S], Ret::String, strings::join)
        .and(LS)
        .passes(Passes::Certain(strings::join_identity)),
    Function::new("jsondecode", &[S], Ret::Any, encoding::jsondecode)
        .may_fail(|_| true)
        .typed(results::jsondecode)
        .reads_start()
        .nullable(),
    Function::new(
        "jsonencode",
        &[nullable(Wants::Any)],
        Ret::String,
        encoding::jsonencode,
    )
    .total()
    .typed(results::json)
    .knows(results::known_json)
    .open(),
    Function::new("keys", &[M], Ret::Any, maps::keys)
        .shallow()
        .typed(results::keys)
        .keeps(true),
    Function::new("length", &[p(Wants::Counted)], Ret::Number, collections::length)
        .shallow()
        .open()
        .settled(results::length)
        .knows(results::known_length)
        .keeps(true),
    Function::new("lookup", &[M, S], Ret::Any, maps::lookup)
        .may_fail(|values| values.len() < 3)
        .and(nullable(Wants::Any))
        .shallow()
        .typed(results::lookup)
        .settled(maps::found)
        .open_from(2)
        .nullable()
        .marks(Marking::Kept(Kept {
            first: usize::MAX,
            takes_unknown: true,
            marks: marks::of_two,
        })),
    Function::new("lower", &[S], Ret::String, strings::lower).total(),
    Function::new("matchkeys", &[LA, LA, LA], Ret::Any, collections::matchkeys)
        .partial()
        .typed(results::matchkeys),
    Function::new("max", &[], Ret::Number, numbers::max)
        .and(N)
        .total(),
    Function::new("merge", &[], Ret::Any, maps::merge)
        .and(V)
        .shallow()
        .typed(results::merge)
        .open()
        .keeps(false),
    Function::new("min", &[], Ret::Number, numbers::min)
        .and(N)
        .total(),
    Function::new("one", &[Q], Ret::Any, collections::one)
        .may_fail(|_| true)
        .shallow()
        .typed(results::one)
        .nullable(),
    Function::new("parseint", &[p(Wants::Text), N], Ret::Number, numbers::parseint)
        .may_fail(|_| true)
        .marks(Marking::Kept(Kept {
            first: 1,
            takes_unknown: true,
            marks: marks::of_first,
        })),
    Function::new("pathexpand", &[S], Ret::String, files::pathexpand),
    Function::new("pow", &[N, N], Ret::Number, numbers::pow).may_fail(|_| true),
    Function::new("range", &[], Ret::Numbers, collections::range)
        .may_fail(|_| true)
        .and(N),
    Function::new("regex", &[S, S], Ret::Any, strings::regex)
        .may_fail(|_| true)
        .typed(results::regex),
    Function::new("regexall", &[S, S], Ret::Any, strings::regexall).typed(results::regexall),
    Function::new("replace", &[S, S, S], Ret::String, strings::replace),
    Function::new("reverse", &[Q], Ret::Any, collections::reverse)
        .shallow()
        .typed(results::reverse)
        .keeps(false),
    Function::new(
        "setintersection",
        &[p(Wants::SetOfAny)],
        Ret::Any,
        sets::intersection,
    )
    .and(p(Wants::SetOfAny))
    .typed(results::sets),
    Function::new("setproduct", &[], Ret::Any, sets::product)
        .and(Q)
        .partial()
        .typed(results::product)
        .keeps(true),
    Function::new(
        "setsubtract",
        &[p(Wants::SetOfAny), p(Wants::SetOfAny)],
        Ret::Any,
        sets::subtract,
    )
    .typed(results::sets),
    Function::new("setunion", &[p(Wants::SetOfAny)], Ret::Any, sets::union)
        .and(p(Wants::SetOfAny))
        .partial()
        .typed(results::sets),
    Function::new("signum", &[N], Ret::Number, numbers::signum),
    Function::new("slice", &[L, N, N], Ret::Any, collections::slice)
        .may_fail(|_| true)
        .shallow()
        .typed(results::slice)
        .marks(Marking::Kept(Kept {
            first: 1,
            takes_unknown: false,
            marks: marks::of_first,
        })),
    Function::new("sort", &[LS], Ret::Strings, collections::sort).partial(),
    Function::new("split", &[S, S], Ret::Strings, strings::split),
    Function::new("startswith", &[S, S], Ret::Bool, strings::startswith)
        .settled(results::startswith)
        .reads_start(),
    Function::new("strcontains", &[S, S], Ret::Bool, strings::strcontains).nullable(),
    Function::new("strrev", &[S], Ret::String, strings::strrev),
    Function::new("substr", &[S, N, N], Ret::String, strings::substr),
    Function::new("sum", &[A], Ret::Number, numbers::sum)
        .may_fail(|_| true)
        .typed(results::sum),
    Function::new("title", &[S], Ret::String, strings::title).total(),
    Function::new("tobool", &[nullable(Wants::Any)], Ret::Bool, convert_to::bool)
        .may_fail(|_| true)
        .shallow()
        .passes(Passes::Converted)
        .open()
        .nullable()
        .keeps(true),
    Function::new("tolist", &[nullable(Wants::Any)], Ret::List, convert_to::list)
        .shallow()
        .passes(Passes::Converted)
        .open()
        .nullable()
        .keeps(true),
    Function::new("tomap", &[nullable(Wants::Any)], Ret::Map, convert_to::map)
        .shallow()
        .passes(Passes::Converted)
        .open()
        .nullable()
        .keeps(true),
    Function::new(
        "tonumber",
        &[nullable(Wants::Any)],
        Ret::Number,
        convert_to::number,
    )
    .may_fail(|_| true)
    .shallow()
    .passes(Passes::Converted)
    .open()
    .nullable()
    .keeps(true),
    Function::new("toset", &[nullable(Wants::Any)], Ret::Set, convert_to::set)
        .shallow()
        .passes(Passes::Converted)
        .open()
        .nullable()
        .keeps(true),
    Function::new(
        "tostring",
        &[nullable(Wants::Any)],
        Ret::String,
        convert_to::string,
    )
    .total()
    .shallow()
    .passes(Passes::Converted)
    .open()
    .nullable()
    .keeps(true),
    Function::lazy("templatefile", templates::templatefile),
    Function::new("transpose", &[A], Ret::Any, maps::transpose)
        .typed(results::transpose)
        .open(),
    Function::new("trim", &[S, S], Ret::String, strings::trim),
    Function::new("trimprefix", &[S, S], Ret::String, strings::trimprefix),
    Function::new("trimspace", &[S], Ret::String, strings::trimspace)
        .passes(Passes::Certain(strings::same_word)),
    Function::new("trimsuffix", &[S, S], Ret::String, strings::trimsuffix),
    Function::lazy("try", lazy::r#try),
    Function::new("upper", &[S], Ret::String, strings::upper).total(),
    Function::new("urlencode", &[S], Ret::String, encoding::urlencode),
    Function::new("values", &[M], Ret::Any, maps::values)
        .shallow()
        .typed(results::values)
        .keeps(false),
    Function::new("yamldecode", &[S], Ret::Any, yaml::yamldecode)
        .may_fail(|_| true)
        .nullable(),
    Function::new("yamlencode", &[V], Ret::String, yaml_encode::yamlencode)
        .total()
        .open()
        .nullable(),
    Function::new("zipmap", &[LS, L], Ret::Any, maps::zipmap)
        .may_fail(|_| true)
        .shallow()
        .typed(results::zipmap)
        .marks(Marking::Kept(Kept {
            first: usize::MAX,
            takes_unknown: false,
            marks: marks::of_zipped,
        })),
    Function::new("base64sha256", &[S], Ret::String, digests::base64sha256),
    Function::new("base64sha512", &[S], Ret::String, digests::base64sha512),
    Function::new("cidrcontains", &[S, S], Ret::Bool, nets::cidrcontains),
    Function::new("cidrhost", &[S, N], Ret::String, nets::cidrhost).may_fail(|_| true),
    Function::new("cidrnetmask", &[S], Ret::String, nets::cidrnetmask).may_fail(|_| true),
    Function::new("cidrsubnet", &[S, N, N], Ret::String, nets::cidrsubnet).may_fail(|_| true),
    Function::new("cidrsubnets", &[S], Ret::Strings, nets::cidrsubnets)
        .may_fail(|_| true)
        .and(N),
    Function::new("csvdecode", &[S], Ret::Any, csv::csvdecode).may_fail(|_| true),
    Function::new("filebase64", &[S], Ret::String, digests::filebase64).may_fail(|_| true),
    Function::new("filebase64sha256", &[S], Ret::String, digests::filebase64sha256).may_fail(|_| true),
    Function::new("filebase64sha512", &[S], Ret::String, digests::filebase64sha512).may_fail(|_| true),
    Function::new("filemd5", &[S], Ret::String, digests::filemd5).may_fail(|_| true),
    Function::new("filesha1", &[S], Ret::String, digests::filesha1).may_fail(|_| true),
    Function::new("filesha256", &[S], Ret::String, digests::filesha256).may_fail(|_| true),
    Function::new("filesha512", &[S], Ret::String, digests::filesha512).may_fail(|_| true),
    Function::new("formatdate", &[S, S], Ret::String, times::formatdate).may_fail(|_| true),
    Function::new("list", &[], Ret::Any, collections::no_list)
        .and(V)
        .typed(results::no_list)
        .open(),
    Function::new("log", &[N, N], Ret::Number, numbers::log).may_fail(|_| true),
    Function::new("map", &[], Ret::Any, collections::no_map)
        .and(V)
        .typed(results::no_map)
        .open(),
    Function::new("md5", &[S], Ret::String, digests::md5),
    Function::new("sha1", &[S], Ret::String, digests::sha1),
    Function::new("sha256", &[S], Ret::String, digests::sha256),
    Function::new("sha512", &[S], Ret::String, digests::sha512),
    Function::new(
        "textdecodebase64",
        &[S, S],
        Ret::String,
        encoding::textdecodebase64,
    )
    .may_fail(|_| true),
    Function::new(
        "textencodebase64",
        &[S, S],
        Ret::String,
        encoding::textencodebase64,
    ),
    Function::new("timeadd", &[S, S], Ret::String, times::timeadd)
        .may_fail(|_| true)
        .nullable(),
    Function::new("timecmp", &[S, S], Ret::Number, times::timecmp).may_fail(|_| true),
    Function::new("urldecode", &[S], Ret::String, encoding::urldecode).may_fail(|_| true),
    Function::new("uuidv5", &[S, S], Ret::String, encoding::uuidv5).may_fail(|_| true),
    Function::new("rsadecrypt", &[S, S], Ret::String, encoding::rsadecrypt).may_fail(|_| true),
    Function::new("sensitive", &[V], Ret::Any, collections::same)
        .typed(results::first)
        .shallow()
        .total()
        .open()
        .passes(Passes::Only)
        .marks(Marking::Made(|marks| marks | Marks::SENSITIVE)),
    Function::new("nonsensitive", &[V], Ret::Any, collections::same)
        .typed(results::first)
        .shallow()
        .total()
        .open()
        .passes(Passes::Only)
        .marks(Marking::Made(|marks| {
            marks.without(Marks::SENSITIVE | Marks::PERHAPS_SENSITIVE)
        })),
    Function::new("ephemeralasnull", &[V], Ret::Any, marks::ephemeralasnull)
        .typed(results::first)
        .shallow()
        .total()
        .open()
        .passes(Passes::Only)
        .marks(Marking::Made(|marks| marks.without(Marks::EPHEMERAL))),
    Function::lazy("templatestring", templates::templatestring),
];

/// Functions of the common set whose result is not computed.
static OPAQUE: &[Function] = &[
    Function::opaque("base64gunzip", &[S], Ret::String).may_fail(|_| true),
    Function::opaque("base64gzip", &[S], Ret::String).knows(results::known_gzip),
    Function::unpredictable("bcrypt", &[S], Ret::String).and(N),
    // If less is known than the engine knows, it is also unknown whether a value is sensitive.
    Function::opaque("issensitive", &[V], Ret::Bool)
        .nullable()
        .settled(marks::issensitive)
        .marks(Marking::Made(|_| Marks::NONE)),
    Function::of_plan("plantimestamp", Ret::String).nullable(),
    Function::unpredictable("timestamp", &[], Ret::String),
    Function::unpredictable("uuid", &[], Ret::String),
];

/// A function with a foreign definition: its parameters and result are unknown.
pub static OTHER: Function = Function::opaque("", &[], Ret::Any).and(V);

static EXTRA: &[Function] = &[
    // As in go-cty 1.16.3, which looks at arguments without a type; Terraform 1.11 has an older one.
    Function::new("format", &[S], Ret::String, format::format)
        .and(nullable(Wants::Any))
        .open_from(1)
        .passes(Passes::Certain(format::format_identity))
        .knows(results::known_format),
    Function::new("formatlist", &[S], Ret::Any, format::formatlist)
        .and(nullable(Wants::Any))
        .typed(results::strings)
        .open_from(1)
        .partial(),
    Function::new("joinlist", &[S, A], Ret::Any, strings::joinlist).nullable(),
    Function::new("slug", &[nullable(Wants::Any)], Ret::Any, strings::slug)
        .open()
        .nullable(),
    Function::lazy("templatestring", templates::any_templatestring),
    Function::lazy("ternary", lazy::ternary),
    Function::new("unslug", &[nullable(Wants::Any), A], Ret::Any, strings::unslug)
        .open()
        .nullable(),
    Function::new("version_match", &[S, S], Ret::Bool, versions::version_match).and(A),
];

static EXTRA_OPAQUE: &[Function] = &[
    Function::opaque("hcldecode", &[], Ret::Any).and(V),
    Function::opaque("hclencode", &[], Ret::String).and(V),
    Function::opaque("tomldecode", &[], Ret::Any).and(V),
    Function::opaque("tomlencode", &[], Ret::String).and(V),
    Function::opaque("tree", &[], Ret::Any).and(V),
];

fn table(functions: &'static [Function]) -> FxHashMap<&'static str, &'static Function> {
    functions.iter().map(|f| (f.name, f)).collect()
}

fn find(
    name: &str,
    known: &FxHashMap<&'static str, &'static Function>,
    opaque: &'static [Function],
) -> FunctionRef {
    match known.get(name) {
        Some(function) => FunctionRef::Known(function),
        None => match opaque.iter().find(|known| known.name == name) {
            Some(function) => FunctionRef::Opaque(function),
            None => FunctionRef::Missing,
        },
    }
}

/// A function of the set that OpenTofu and Terraform define, by its name there.
#[must_use]
pub fn lookup(name: &str) -> FunctionRef {
    static TABLE: LazyLock<FxHashMap<&str, &Function>> = LazyLock::new(|| table(COMMON));
    find(name, &TABLE, OPAQUE)
}

/// A function beyond the common set that an engine may add: `slug`, `unslug`, `joinlist`, `ternary`, and some
/// that are not computed; and those that differ between Terramate and Terraform, such as `templatestring`.
#[must_use]
pub fn lookup_extra(name: &str) -> FunctionRef {
    static TABLE: LazyLock<FxHashMap<&str, &Function>> = LazyLock::new(|| table(EXTRA));
    find(name, &TABLE, EXTRA_OPAQUE)
}

/// The names of all functions, for completion and for the nearest to a wrong one.
pub fn names() -> impl Iterator<Item = &'static str> {
    COMMON.iter().map(|f| f.name).chain(OPAQUE.iter().map(|f| f.name))
}

/// The names of the functions beyond the common set.
pub fn extra_names() -> impl Iterator<Item = &'static str> {
    let all = EXTRA.iter().chain(EXTRA_OPAQUE).map(|f| f.name);
    all.filter(|name| matches!(lookup(name), FunctionRef::Missing))
}
