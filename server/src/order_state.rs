//! `applyorder/order`, a custom request: the state of the order that a document is about, and what runs around a
//! position. An editor shows it next to the text.

use applyorder_analysis::ide::calls::{self, Item, Neighbour};
use applyorder_analysis::ide::order_state::{self, OrderStatus};
use serde_json::{Map, Value, json};

use crate::call::Call;
use crate::convert::{Convert, uri_of};
use crate::handler::RequestHandler;
use crate::params::MaybeAtPosition;
use crate::snapshot::Snapshot;

/// The limit of units in a list; of the others, only the number is given.
const MOST: usize = 200;

pub(crate) struct OrderStates;

impl RequestHandler for OrderStates {
    const METHOD: &'static str = "applyorder/order";
    type Params = MaybeAtPosition;
    type Answer = Value;

    fn document(params: &MaybeAtPosition) -> Option<&str> {
        Some(&params.text_document.uri)
    }

    fn answer(snapshot: &Snapshot, params: MaybeAtPosition, _: &Call) -> Result<Value, String> {
        let analysis = &snapshot.analysis;
        let convert = snapshot.convert();
        let Some(file) = snapshot.file(&params.text_document.uri) else {
            return Ok(Value::Null);
        };
        let Some(state) = order_state::state(analysis, file) else {
            return Ok(Value::Null);
        };
        let (standing, layers, may_be_more) = match state.status {
            OrderStatus::Layers { known, may_be_more } => ("layers", Some(known), may_be_more),
            OrderStatus::Cycle => ("cycle", None, false),
            OrderStatus::Unknown => ("unknown", None, false),
        };
        let mut answer = json!({
            "engine": state.engine,
            "root": uri_of(state.root),
            "name": state.name,
            "units": state.units,
            "word": state.word,
            "environment": state.environment,
            "standing": standing,
            "layers": layers,
            "mayBeMore": may_be_more,
            "because": state.because,
        });
        let position = params.position.and_then(|at| convert.offset(file, at));
        if let Some((offset, answer)) = position.zip(answer.as_object_mut()) {
            let at = calls::items(analysis, file, offset);
            let units = |all: Vec<Neighbour>| all.into_iter().map(|n| n.item).collect::<Vec<Item>>();
            let after = units(calls::after(analysis, file, offset, None));
            let before = units(calls::before(analysis, file, offset, None));
            let beside = order_state::beside(analysis, file, offset);
            answer.insert("at".to_owned(), list(&convert, at));
            let sides = [("after", after), ("beside", beside), ("before", before)];
            let more = sides.iter().filter(|(_, units)| units.len() > MOST);
            let more: Map<String, Value> = more
                .map(|(side, units)| ((*side).to_owned(), json!(units.len() - MOST)))
                .collect();
            answer.insert("more".to_owned(), Value::Object(more));
            for (side, units) in sides {
                answer.insert(side.to_owned(), list(&convert, units));
            }
        }
        Ok(answer)
    }
}

fn list(convert: &Convert<'_>, items: impl IntoIterator<Item = Item>) -> Value {
    let shown = items.into_iter().take(MOST).filter_map(|item| {
        let location = convert.location_of(item.at.file, item.at.span)?;
        let name = if item.name.is_empty() {
            "(no name)"
        } else {
            &item.name
        };
        Some(json!({
            "name": name,
            "detail": item.detail,
            "uri": location.uri,
            "range": location.range,
        }))
    });
    shown.collect()
}
