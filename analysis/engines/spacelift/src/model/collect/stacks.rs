//! The stacks, and what each says of itself.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::ExprKind;
use applyorder_syntax::hcl::eval::Value;

use super::super::module::{Decl, Spot};
use super::super::world::{Expansion, InstIx, Res};
use super::super::{Given, NodeKind, Settings, Slug, Stack, StackIx, Vendor, slug};
use super::{Collector, count};
use crate::schema::VENDORS;

impl<'a> Collector<'_, 'a> {
    pub(super) fn stack(&mut self, res: &Res) -> StackIx {
        if let Some(known) = self.stacks.get(res) {
            return *known;
        }
        let number = count(self.model.stacks.len());
        self.stacks.insert(res.clone(), number);
        let address: Arc<str> = self.world.address(res).into();
        let world = self.world;
        let is_known = match &*world.expansion(res.inst, res.decl) {
            Expansion::Single => true,
            Expansion::Known { by_key, .. } => by_key.contains_key(&res.key),
            Expansion::Unknown { .. } => false,
        };
        let decl = world.decl(res);
        let stack = Stack {
            resource: decl.map_or_else(|| address.clone(), |d| world.static_address(res.inst, d).into()),
            kind: if is_known {
                NodeKind::Managed
            } else {
                NodeKind::Symbolic
            },
            header: self.place(decl.map_or(Spot { file: 0, at: 0 }, Decl::header)),
            name_place: decl.map(|d| self.place(d.name_spot())),
            heuristic: self.is_likely(res),
            settings: decl.map(|decl| self.settings(res, decl)),
            calls: self.calls(res.inst),
            address: address.clone(),
        };
        let slug = stack
            .settings
            .as_ref()
            .and_then(|settings| settings.slug.as_ref());
        if let (Some(slug), Some(attr)) = (slug.filter(|s| s.is_written), decl.and_then(|d| d.attr("slug"))) {
            let place = (attr.written(), slug.text.clone());
            self.slug_places.entry(place).or_insert(number);
        }
        self.by_address.insert(address, number);
        self.model.stacks.push(stack);
        number
    }

    /// The names of the calls that lead to a module instance, the innermost first.
    fn calls(&self, mut at: InstIx) -> Vec<Place> {
        let mut found = Vec::new();
        while let Some((caller, call)) = self.world.inst(at).caller {
            let call = self
                .world
                .module(caller)
                .and_then(|module| module.calls.get(call));
            found.extend(call.map(|call| self.place(call.name_spot())));
            at = caller;
        }
        found
    }

    fn settings(&mut self, res: &Res, decl: &Decl<'a>) -> Settings {
        let text = |name: &'static str| {
            self.world.ask_argument(res, name);
            self.world.text(res, name)
        };
        let name = text("name");
        if let Some(attr) = decl.attr("name") {
            self.name_places.insert(attr.written());
        }
        let weak = |value: &Value| value.has_heuristic() || self.is_likely(res);
        let header = self.place(decl.header());
        let at = |name: &str| decl.attr(name).map_or(header, |attr| self.place(attr.value()));
        let slug = match text("slug").filter(|s| !s.is_null()) {
            Some(written) => written.as_str().map(|text| Slug {
                text: text.into(),
                is_written: true,
                is_weak: weak(&written),
                place: at("slug"),
            }),
            None => name
                .as_ref()
                .and_then(|n| Some((n, n.as_str()?)))
                .map(|(value, text)| Slug {
                    text: slug::derived(text).into(),
                    is_written: false,
                    is_weak: weak(value) || !slug::is_plain(text),
                    place: at("name"),
                }),
        };
        let (vendor, vendor_place) = self.vendor(res, decl);
        let flag = |name: &'static str| self.given(res, name, Value::as_bool);
        let labels = self.value(res, "labels");
        let label = |value: &Value| {
            Some(Given {
                value: value.as_str()?.into(),
                place: value.place.map_or(header, |p| self.eval_place(p)),
            })
        };
        let autodeploy = match self.value(res, "autodeploy") {
            None => Some(false),
            Some(value) if value.is_null() => Some(false),
            Some(value) => value.as_bool(),
        };
        Settings {
            provider: self.world.provider(res.inst, decl),
            slug,
            vendor,
            vendor_place,
            protect: flag("protect_from_deletion"),
            autodeploy,
            sensitive_upload: flag("enable_sensitive_outputs_upload"),
            labels: labels
                .as_ref()
                .and_then(Value::elements)
                .map_or_else(Vec::new, |all| all.iter().filter_map(label).collect()),
            project_root: self.given_text(res, "project_root").map(|g| g.value),
        }
    }

    /// At most one block says what runs a stack.
    fn vendor(&self, res: &Res, decl: &Decl<'a>) -> (Vendor, Option<Place>) {
        let block = decl.blocks.iter().find(|inner| VENDORS.contains(&inner.word));
        let attr = || {
            let found = decl.attrs.iter().find(|a| VENDORS.contains(&a.name));
            found.filter(|a| !matches!(a.expr.kind(), ExprKind::Null))
        };
        let (word, spot) = match block {
            Some(inner) => (inner.word, inner.header),
            None => match attr() {
                Some(attr) => (attr.name, attr.name_spot()),
                None if decl.has_dynamic => return (Vendor::Unknown, None),
                None => {
                    let tool = self.value(res, "terraform_workflow_tool");
                    let is_tofu = tool.as_ref().and_then(Value::as_str) == Some("OPEN_TOFU");
                    let vendor = if is_tofu {
                        Vendor::OpenTofu
                    } else {
                        Vendor::Terraform
                    };
                    return (vendor, None);
                }
            },
        };
        let place = Some(self.place(spot));
        if decl.has_dynamic {
            return (Vendor::Unknown, place);
        }
        let vendor = match word {
            "ansible" => Vendor::Ansible,
            "cloudformation" => Vendor::CloudFormation,
            "kubernetes" => Vendor::Kubernetes,
            "opentofu" => Vendor::OpenTofu,
            "pulumi" => Vendor::Pulumi,
            _ => Vendor::Terragrunt,
        };
        (vendor, place)
    }
}
