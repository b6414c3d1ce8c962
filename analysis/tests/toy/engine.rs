//! A complete, minimal engine: the example of CONTRIBUTING.md, "Adding an engine".
//!
//! Its files are `*.ID`; those of one directory are a project. A line is `unit: dependency dependency ...`.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_analysis::diagnostic::{Diagnostic, FileId, Place};
use applyorder_analysis::engine::{
    Cx, Dependency, Engine, EngineMeta, Facts, FactsInput, Handoff, Member, Offer, Operation, OrderOf,
    ProjectSeed, Recognition, Resolution, RunOptions, Unit, UnitIx, Variant, Verdict,
};
use applyorder_analysis::graph::{GraphBuilder, OrderGraph};
use applyorder_analysis::layer::{
    self, Block, Checked, Command, Environment, Finding, Fingerprint, Mix, NameIndex, Outcome, Pass, Reports,
    Stage, Stages, Sym,
};
use applyorder_analysis::rules::{cycle, unknown_dependency};
use applyorder_analysis::store::Shape;
use applyorder_analysis::syntax::text::Span;
use camino::Utf8Path;

/// The engine, under one of several names.
pub(crate) struct Toy {
    pub(crate) meta: &'static EngineMeta,
}

/// A line of a file. Places are numbers in the file's table of spans.
#[derive(PartialEq, Eq)]
struct Line {
    unit: (Arc<str>, u32),
    needs: Vec<(Arc<str>, u32)>,
}

/// `read`: the content of a text. Its shape is the lines, its places the spans.
pub(crate) struct ToyFacts {
    lines: Vec<Line>,
    spans: Vec<Span>,
}

impl ToyFacts {
    fn read(text: &str) -> Self {
        let mut facts = Self {
            lines: Vec::new(),
            spans: Vec::new(),
        };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if let Some((unit, needs)) = line.split_once(':') {
                let unit = facts.word(unit.trim(), start);
                let rest = start + line.len() - needs.len();
                let needs = words(needs)
                    .map(|(at, word)| facts.word(word, rest + at))
                    .collect();
                facts.lines.push(Line { unit, needs });
            }
            start += line.len();
        }
        facts
    }

    fn word(&mut self, word: &str, at: usize) -> (Arc<str>, u32) {
        let number = u32::try_from(self.spans.len()).unwrap_or(u32::MAX);
        self.spans.push(Span::from_usize(at, at + word.len()));
        (word.into(), number)
    }
}

fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    text.split_ascii_whitespace().filter_map(move |word| {
        let at = end + text.get(end..)?.find(word)?;
        end = at + word.len();
        Some((at, word))
    })
}

impl Facts for ToyFacts {
    fn same_shape(&self, other: &dyn Facts) -> bool {
        let other = other.as_any().downcast_ref::<Self>();
        other.is_some_and(|other| other.lines == self.lines)
    }

    fn span(&self, index: u32) -> Option<Span> {
        self.spans.get(index as usize).copied()
    }

    fn discovery_key(&self) -> u64 {
        0
    }

    fn load_key(&self) -> Option<u64> {
        // The set of files does not depend on their content.
        Some(0)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

/// `model`: the content of one file. Made once for each shape of the file.
struct Piece {
    file: FileId,
    units: Vec<PieceUnit>,
}

struct PieceUnit {
    name: (Arc<str>, Sym, Place),
    needs: Vec<(Arc<str>, Sym, Place)>,
}

#[derive(PartialEq, Eq, Hash)]
struct PieceKey(FileId, Shape);

/// The key of a file's findings: its piece, and what else its check may see.
#[derive(PartialEq, Eq, Hash)]
struct BlockKey(FileId, Fingerprint);

pub(crate) struct Model {
    pieces: Vec<(Shape, Arc<Piece>)>,
    names: usize,
}

impl Model {
    fn units(&self) -> impl Iterator<Item = &PieceUnit> + Clone {
        self.pieces.iter().flat_map(|(_, piece)| &piece.units)
    }
}

/// `relate`: which units a name refers to, and the graph.
pub(crate) struct Related {
    index: NameIndex,
    graph: Arc<OrderGraph>,
}

static COMMANDS: [Command; 1] = [Command {
    name: "run",
    stages: &[
        Stage {
            name: "names",
            reports: Reports::First,
        },
        Stage {
            name: "order",
            reports: Reports::First,
        },
    ],
    warns_when_rejecting: false,
}];

impl Stages for Toy {
    type Loaded = Vec<FileId>;
    type Model = Model;
    type Related = Related;

    fn load(&self, pass: &Pass<'_>) -> Vec<FileId> {
        let entries = pass.cx.list(&pass.seed.root).unwrap_or_default();
        let paths = entries.iter().map(|entry| pass.seed.root.join(&entry.name));
        let own = paths.filter(|path| path.extension() == Some(self.meta.id));
        own.filter_map(|path| Some(pass.cx.facts::<ToyFacts>(&path).ok()?.file))
            .collect()
    }

    fn model(&self, pass: &Pass<'_>, loaded: &Arc<Vec<FileId>>) -> Model {
        let (cx, memo) = (pass.cx, pass.cx.memo());
        let read = loaded.iter().filter_map(|file| cx.read::<ToyFacts>(*file).ok());
        let pieces = read.map(|read| {
            let word = |(text, at): &(Arc<str>, u32)| {
                (text.clone(), memo.names().intern(text), cx.place(read.file, *at))
            };
            let make = || Piece {
                file: read.file,
                units: read
                    .facts
                    .lines
                    .iter()
                    .map(|line| PieceUnit {
                        name: word(&line.unit),
                        needs: line.needs.iter().map(word).collect(),
                    })
                    .collect(),
            };
            (read.shape, memo.get(PieceKey(read.file, read.shape), make))
        });
        Model {
            pieces: pieces.collect(),
            names: memo.names().len(),
        }
    }

    fn relate(&self, _: &Pass<'_>, model: &Arc<Model>) -> Related {
        let index = NameIndex::new(model.names, model.units().map(|u| u.name.1).zip(0u32..));
        let mut graph = GraphBuilder::new();
        let nodes: Vec<_> = (0u32..).zip(model.units()).map(|(i, _)| graph.unit(i)).collect();
        let mut dependency = 0;
        for (node, unit) in nodes.iter().zip(model.units()) {
            for need in &unit.needs {
                let targets = index.units(need.1).iter();
                for target in targets.filter_map(|unit| nodes.get(*unit as usize)) {
                    graph.explicit(*node, *target, dependency);
                }
                dependency += 1;
            }
        }
        Related {
            index,
            graph: Arc::new(graph.build()),
        }
    }

    fn check(&self, pass: &Pass<'_>, model: &Arc<Model>, related: &Arc<Related>) -> Vec<Checked> {
        let mut blocks: Vec<Arc<Block>> = Vec::new();
        for (shape, piece) in &model.pieces {
            // Everything that the check below sees of other files: whether a name is declared.
            let mut seen = Mix::default();
            seen.add(shape);
            let needs = piece.units.iter().flat_map(|unit| &unit.needs);
            let dangling: Vec<bool> = needs.map(|need| related.index.units(need.1).is_empty()).collect();
            seen.add(&dangling);
            let key = BlockKey(piece.file, seen.finish());
            blocks.push(pass.cx.memo().get(key, || self.check_file(piece, related)));
        }
        let variant = self.variant(model, related);
        let cycles = cycle::check(self.meta, &variant, &related.graph, |_| None);
        let cycles = cycles
            .into_iter()
            .map(|found| Finding::new(found.diagnostic.engine_message("cycle")).rejected("run", "order"));
        blocks.push(Arc::new(Block::new(cycles.collect())));
        vec![Checked {
            blocks,
            unknown: Vec::new(),
            environments: vec![Environment::default()],
        }]
    }

    fn commands(&self) -> &'static [Command] {
        &COMMANDS
    }

    fn outcome(
        &self,
        _: &Pass<'_>,
        model: &Arc<Model>,
        related: &Arc<Related>,
        _: &[Checked],
        _: &[Verdict],
    ) -> Outcome {
        let member = |(_, piece): &(Shape, Arc<Piece>)| Member {
            file: piece.file,
            why: "in the directory".into(),
            via: None,
        };
        Outcome {
            members: model.pieces.iter().map(member).collect(),
            variants: vec![self.variant(model, related)].into(),
            links: Arc::default(),
            symbols: Vec::new().into(),
            unresolved: Vec::new(),
            engine_version: self.meta.version.to_owned(),
            state: None,
            hints: None,
        }
    }
}

impl Toy {
    fn check_file(&self, piece: &Piece, related: &Related) -> Block {
        let needs = piece.units.iter().flat_map(|unit| &unit.needs);
        let dangling = (0u32..).zip(needs.filter(|need| related.index.units(need.1).is_empty()));
        let finding = |(at, (text, _, place)): (u32, &(Arc<str>, Sym, Place))| {
            let message = format!("unknown {} `{text}`", self.meta.unit);
            let d =
                Diagnostic::new(&unknown_dependency::RULE, *place, &*message).engine_message(message.clone());
            Finding::new(d)
                .rejected("run", "names")
                .about(text.clone())
                .at(at)
        };
        Block::new(dangling.map(finding).collect())
    }

    fn variant(&self, model: &Model, related: &Related) -> Variant {
        let units = model.units().map(|unit| Unit {
            name: unit.name.0.clone(),
            header: unit.name.2,
            name_place: Some(unit.name.2),
            tags: Arc::default(),
        });
        let dependencies = (0u32..).zip(model.units()).flat_map(|(unit, piece)| {
            let dependency = move |(text, name, place): &(Arc<str>, Sym, Place)| Dependency {
                unit: UnitIx(unit),
                place: *place,
                attribute: "needs",
                text: text.clone(),
                targets: related.index.units(*name).iter().map(|u| UnitIx(*u)).collect(),
                unknown: false,
            };
            piece.needs.iter().map(dependency)
        });
        let layers = related.graph.layers().map(|layers| {
            let layer =
                |layer: &[applyorder_analysis::graph::NodeId]| layer.iter().map(|n| UnitIx(n.0)).collect();
            layers.iter().map(layer).collect::<Vec<Vec<UnitIx>>>().into()
        });
        let order = OrderOf {
            graph: related.graph.clone(),
            layers,
            sequence: None,
            guaranteed: true,
            because: None,
            open: Vec::new(),
        };
        Variant {
            environments: vec![None],
            units: units.collect(),
            dependencies: dependencies.collect(),
            reasons: Vec::new(),
            conditions: Vec::new(),
            apply: order.clone(),
            delete: order,
            selected: None,
            properties: Vec::new(),
            actions: Vec::new(),
        }
    }
}

impl Engine for Toy {
    fn meta(&self) -> &'static EngineMeta {
        self.meta
    }

    fn recognise(&self, path: &Utf8Path, _: Offer, bytes: Option<&[u8]>) -> Recognition {
        match bytes {
            _ if path.extension() != Some(self.meta.id) => Recognition::No,
            Some(_) => Recognition::Yes,
            None => Recognition::NeedsBytes,
        }
    }

    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts> {
        Arc::new(ToyFacts::read(input.text))
    }

    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], _: &[FileId]) -> Vec<ProjectSeed> {
        let mut dirs = BTreeMap::new();
        for file in candidates {
            let path = cx.path(*file);
            let dir = path.parent().unwrap_or(Utf8Path::new("/"));
            dirs.entry(dir.to_owned())
                .or_insert_with(Vec::new)
                .push(path.to_path_buf());
        }
        let seed = |(root, inputs)| ProjectSeed {
            engine: cx.engine_index(),
            root,
            name: None,
            why: "its files lie in one directory".to_owned(),
            inferred: false,
            inputs,
            excluded: Vec::new(),
            is_part: false,
        };
        dirs.into_iter().map(seed).collect()
    }

    fn resolve(&self, cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution {
        layer::resolve(self, cx, seed, options)
    }

    fn command_of(&self, _: Operation, _: &RunOptions) -> Option<&'static str> {
        Some("run")
    }

    fn handoff(&self, _: &ProjectSeed, _: Operation, _: &RunOptions) -> Option<Handoff> {
        None
    }
}
