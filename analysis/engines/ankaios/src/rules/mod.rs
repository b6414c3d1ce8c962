//! The rules, listed once, and the inputs of their checks.

mod agent_template_form;
mod cluster_templates;
mod coerced_scalar;
mod config_leaf;
mod config_undefined;
mod config_unused;
mod cycle;
mod duplicate_key;
mod duplicate_name;
mod file_content;
mod filter_mask_alias;
mod impossible;
mod inert_dependency;
mod invalid_name;
mod invalid_value;
mod kube_files;
mod merge_key;
mod missing_field;
mod missing_file;
mod nested_api_version;
mod no_workloads;
pub(crate) mod redundant_dependency;
mod runtime_config;
mod scope;
mod self_dependency;
mod slot;
mod syntax_error;
mod tags_form;
mod tags_lost;
mod template_syntax;
mod template_variable;
mod template_without_configs;
mod unknown_dependency;
mod unknown_field;
mod unreachable_runtime;
mod unscheduled_dependency;
mod unsupported_version;
mod update_gated;
mod wrong_type;

use std::sync::Arc;

use applyorder_core::diagnostic::{FileId, Rule};
use applyorder_core::layer::{
    Block, Finding, Fingerprint, Listed, Pass, Unknown, check_project, check_source, count_rules,
    rules_listed,
};
use applyorder_core::rules as shared;
use applyorder_core::store::Shape;

use crate::judge::{self, APPLY, stage};
use crate::load::Role;
use crate::model::Model;
use crate::read::Version;
use crate::relate::Related;
pub(crate) use scope::{Ankaios, InProject, InSource};
use scope::{LATE, both, said};
use slot::Others;
pub(crate) use slot::{Among, Slot};

/// The rules that only Ankaios has.
pub(crate) static OWN: [&Rule; count_rules(RULES, true)] = rules_listed(RULES, true);

/// The shared rules that apply to manifests.
pub(crate) static SHARED: [&Rule; count_rules(RULES, false)] = rules_listed(RULES, false);

/// How each rule is checked.
const RULES: &[Listed<Ankaios>] = &[
    Listed::source(&shared::syntax_error::RULE, |scope, found| {
        syntax_error::check(scope, found)
    }),
    Listed::source(&shared::duplicate_key::RULE, |scope, found| {
        duplicate_key::check(scope, found)
    }),
    Listed::source(&shared::unsupported_version::RULE, |scope, found| {
        unsupported_version::check(scope, found)
    }),
    Listed::source(&shared::unknown_field::RULE, |scope, found| {
        unknown_field::check(scope, found)
    }),
    Listed::source(&shared::missing_field::RULE, |scope, found| {
        missing_field::check(scope, found)
    }),
    Listed::source(&shared::wrong_type::RULE, |scope, found| {
        wrong_type::check(scope, found)
    }),
    Listed::source(&shared::coerced_scalar::RULE, |scope, found| {
        coerced_scalar::check(scope, found)
    }),
    Listed::source(&shared::invalid_value::RULE, |scope, found| {
        invalid_value::check(scope, found)
    }),
    Listed::source(&shared::invalid_name::RULE, |scope, found| {
        invalid_name::check(scope, found)
    }),
    Listed::source(&merge_key::RULE, |scope, found| merge_key::check(scope, found)),
    Listed::source(&nested_api_version::RULE, |scope, found| {
        nested_api_version::check(scope, found)
    }),
    Listed::source(&no_workloads::RULE, |scope, found| {
        no_workloads::check(scope, found)
    }),
    Listed::source(&agent_template_form::RULE, |scope, found| {
        agent_template_form::check(scope, found)
    }),
    Listed::source(&tags_form::RULE, |scope, found| tags_form::check(scope, found)),
    Listed::source(&tags_lost::RULE, |scope, found| tags_lost::check(scope, found)),
    Listed::source(&config_leaf::RULE, |scope, found| {
        config_leaf::check(scope, found)
    }),
    Listed::source(&filter_mask_alias::RULE, |scope, found| {
        filter_mask_alias::check(scope, found)
    }),
    Listed::source(&file_content::RULE, |scope, found| {
        file_content::check(scope, found)
    }),
    Listed::source(&kube_files::RULE, |scope, found| kube_files::check(scope, found)),
    Listed::source(&unreachable_runtime::RULE, |scope, found| {
        unreachable_runtime::check(scope, found)
    }),
    Listed::source(&runtime_config::RULE, |scope, found| {
        runtime_config::check(scope, found)
    }),
    Listed::source(&template_without_configs::RULE, |scope, found| {
        template_without_configs::check(scope, found)
    }),
    Listed::project(&shared::missing_file::RULE, |scope, found| {
        missing_file::check(scope, found)
    }),
    Listed::elsewhere(&shared::unreadable_file::RULE),
    Listed::project(&shared::duplicate_name::RULE, |scope, found| {
        duplicate_name::check(scope, found)
    }),
    Listed::project(&config_undefined::RULE, |scope, found| {
        config_undefined::check(scope, found)
    }),
    Listed::elsewhere(&template_syntax::RULE),
    Listed::project(&config_unused::RULE, |scope, found| {
        config_unused::check(scope, found)
    }),
    Listed::project(&shared::self_dependency::RULE, |scope, found| {
        self_dependency::check(scope, found)
    }),
    Listed::project(&shared::cycle::RULE, |scope, found| cycle::check(scope, found)),
    Listed::project(&shared::unknown_dependency::RULE, |scope, found| {
        unknown_dependency::check(scope, found)
    }),
    Listed::project(&impossible::RULE, |scope, found| impossible::check(scope, found)),
    Listed::elsewhere(&shared::limit_reached::RULE),
    Listed::idle(&shared::redundant_dependency::RULE),
    // For the workloads of the files in `AMONG`.
    Listed::project(&template_variable::RULE, |scope, found| {
        cluster_templates::check(scope, found)
    }),
    // In `AMONG`.
    Listed::elsewhere(&unscheduled_dependency::RULE),
    Listed::elsewhere(&shared::inert_dependency::RULE),
    Listed::elsewhere(&update_gated::RULE),
];

/// The checks of rules that compare the workloads of a manifest with others.
static AMONG: &[Listed<Among>] = &[
    Listed::source(&template_variable::RULE, |slot, found| {
        template_variable::check(slot, found)
    }),
    Listed::source(&shared::invalid_name::RULE, |slot, found| {
        invalid_name::check_agents(slot, found)
    }),
    Listed::source(&unscheduled_dependency::RULE, |slot, found| {
        unscheduled_dependency::check(slot, found)
    }),
    Listed::source(&shared::inert_dependency::RULE, |slot, found| {
        inert_dependency::check(slot, found)
    }),
    Listed::source(&update_gated::RULE, |slot, found| {
        update_gated::check(slot, found)
    }),
];

/// The inputs of a block of a manifest's own findings.
#[derive(PartialEq, Eq, Hash)]
struct BlockKey(FileId, Shape, Role, bool);

/// The findings of a manifest among others are derived from its [`Slot::fingerprint`].
#[derive(PartialEq, Eq, Hash)]
struct AmongKey(Fingerprint);

/// The findings of a manifest among others.
struct InSlot {
    block: Arc<Block>,
    open: Vec<Unknown>,
}

/// The findings of a project: of each manifest by itself, of each among the others, and of all together; and
/// what cannot be known.
pub(crate) fn check(
    pass: &Pass<'_>,
    model: &Arc<Model>,
    related: &Related,
) -> (Vec<Arc<Block>>, Vec<Unknown>) {
    let role = model.role();
    let has_agent = model.loaded.agent.is_some();
    let mut blocks: Vec<Arc<Block>> = Vec::with_capacity(2 * model.sources.len() + 1);
    for source in &model.sources {
        let key = BlockKey(source.file, source.shape, role, has_agent);
        blocks.push(pass.cx.memo().get(key, || {
            let scope = InSource {
                manifest: source.manifest(),
                role,
                file: source.file,
                engine: pass.cx.engine_index(),
                has_agent,
                memo: pass.cx.memo(),
            };
            Block::new(check_source(RULES, &scope))
        }));
    }
    let scope = InProject { pass, model, related };
    let mut open: Vec<Unknown> = Vec::new();
    let slots = pass.cx.memo().table::<AmongKey, InSlot>();
    let others = Others::of(&scope);
    for (number, source) in (0u32..).zip(&model.sources) {
        let slot = Slot::new(&scope, &others, number, source);
        let made = slots.get(AmongKey(slot.fingerprint()), || InSlot {
            block: Arc::new(Block::new(check_source(AMONG, &slot))),
            open: template_variable::open(&slot),
        });
        blocks.push(made.block.clone());
        for unknown in &made.open {
            if !open
                .iter()
                .any(|o| (o.command, o.stage) == (unknown.command, unknown.stage))
            {
                open.push(unknown.clone());
            }
        }
    }
    let found = check_project(RULES, &scope);
    open.extend(cluster_templates::open(&scope));
    if related.cluster.as_ref().is_some_and(|cluster| cluster.is_open) {
        open.push(Unknown {
            command: Some(APPLY),
            stage: stage::CYCLE,
            at: None,
            because: "what templates come to decides whether workloads change, and so where Ankaios looks for cycles"
                .to_owned(),
            leaves_later: false,
        });
    }
    let limited = model.loaded.inputs.iter().find_map(|input| {
        let limit = input.failure.as_ref().filter(|failure| failure.is_limit())?;
        Some(format!("`{}` {limit}", input.given))
    });
    open.extend(limited.map(|because| Unknown {
        command: None,
        stage: stage::READ,
        at: None,
        because,
        leaves_later: false,
    }));
    open.extend(too_large(model));
    let unknown = unknown(model, &blocks, &found, open);
    blocks.push(Arc::new(Block::new(found)));
    (blocks, unknown)
}

/// The maximum size of a message to the server: the default of its library.
const MAX_MESSAGE: usize = 4 << 20;

/// Whether an apply may exceed that: its actual size as a message is not computed.
fn too_large(model: &Model) -> Option<Unknown> {
    let size: usize = model.sources.iter().map(|source| source.facts.size()).sum();
    let is_deep = model
        .sources
        .iter()
        .any(|source| source.manifest().has_deep_config);
    let because = if size > MAX_MESSAGE {
        "the server takes an apply of 4 MiB at most, and these files are larger"
    } else if is_deep {
        "the server does not read an apply with configs that are nested this deep"
    } else {
        return None;
    };
    model.role().applies().then(|| Unknown {
        command: Some(APPLY),
        stage: stage::MASKS,
        at: None,
        because: because.to_owned(),
        leaves_later: true,
    })
}

/// The position at which the server reaches a finding: it reads workloads by name; within one it checks the
/// name, the agent, then the access rules, and which one comes first there is random.
pub(crate) fn rank(related: &Related, step: &'static str, block: usize, at: u32) -> u64 {
    let ranks = match step {
        stage::STATE => Some(&related.name_ranks),
        stage::KEYS | stage::JSON => Some(&related.key_ranks),
        _ => None,
    };
    if let Some(ranks) = ranks {
        let fault = if at < LATE { at } else { at - LATE };
        let rank = ranks.get(block).and_then(|ranks| ranks.get(fault as usize));
        return rank.map_or(0, |rank| u64::from(*rank));
    }
    // Workload by workload: that its configs exist, then its templates.
    if step == stage::RENDER {
        return u64::from(at);
    }
    if step != stage::NAMES {
        return 0;
    }
    match (block < related.sources, at < LATE) {
        (true, true) => 0,
        (false, _) => 1,
        (true, false) => 2,
    }
}

/// In which round `ank apply` reaches a finding: after opening all files it takes each of them through the
/// steps up to the merge, and then continues with the result.
pub(crate) fn round(related: &Related, step: &'static str, block: usize, at: u32) -> u64 {
    if !related.is_file_by_file || step == stage::READ {
        return 0;
    }
    if !judge::is_of_files(step) {
        return u64::MAX;
    }
    let is_own = block < related.sources;
    // A finding of all files together has the index of its file as its number; for one that is not decoded,
    // that of the next file.
    let source = if is_own { block as u64 } else { u64::from(at) };
    1 + 2 * source + u64::from(is_own || step != stage::YAML)
}

/// Which verdicts are open: `ank apply` uses one of several versions at random, and templates that are not
/// evaluated here.
fn unknown(model: &Model, blocks: &[Arc<Block>], found: &[Finding], mut open: Vec<Unknown>) -> Vec<Unknown> {
    let rejects = |f: &Finding| f.rejections.iter().any(|r| r.command == APPLY && !r.warns);
    let blocks = blocks.iter().filter(|b| b.has_rejections());
    let certain = blocks.flat_map(|b| b.findings()).chain(found).any(rejects);
    if certain {
        return open;
    }
    let random = model.sources.iter().any(|source| {
        let manifest = source.manifest();
        let others = manifest
            .nested_versions
            .iter()
            .filter(|v| **v != manifest.version);
        let is_refused = |version: &Version| !version.is_known() || manifest.has_tags;
        others.into_iter().any(is_refused)
    });
    if random {
        open.push(Unknown {
            command: Some(APPLY),
            stage: stage::VERSION,
            at: None,
            because:
                "random: `ank apply` takes the version from any key `apiVersion`, another one from run to run"
                    .to_owned(),
            leaves_later: false,
        });
    }
    open
}

/// A list of words for users: `a`, `b` or `c`.
fn choice(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
