//! Each format is valid for its readers, whatever the files contain.

use layout::gv::DotParser;
use merman_core::{Engine, ParseOptions};

use super::folding::numbered;
use super::{apply, columns, manifests};
use crate::{Drawing, Format};

/// Texts that end a value, a string, an element or a comment in one of the formats, or have an effect in one.
const HOSTILE: [&str; 14] = [
    "</script><script>alert(1)</script>",
    "<!--",
    "]]>",
    "\"];\nx[shape=box",
    "\\\" -> y",
    "a\"] --> b[\"c",
    "end",
    "%%{init: {\"theme\": \"x\"}}%%",
    "click u0 href \"javascript:alert(1)\"",
    "`**md**`",
    "&lt;b&gt;&#34;",
    "#quot;",
    "x\u{0}\u{1b}[31m\u{202e}\u{2028}",
    "ユニット é 🚀",
];

fn hostile() -> Drawing {
    let mut of: Vec<(&str, &[&str])> = HOSTILE.iter().map(|name| (*name, &[] as &[&str])).collect();
    of.push(("a", &["</script>", "--> b", "c"]));
    of.push(("c", &["a", "]]>", "\"];\nx[shape=box"]));
    apply(&manifests(&of))
}

fn drawings() -> Vec<Drawing> {
    vec![
        hostile(),
        apply(&manifests(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])])),
        apply(&super::pictures::many_to_many(12, 3)),
        apply(&numbered(1_000, |n| {
            if n < 2 {
                vec![]
            } else {
                vec![(n * 7919) % n, (n * 104_729) % n]
            }
        })),
        apply(&numbered(300, |n| vec![(n + 1) % 300])),
        // Several projects of several engines in one drawing.
        apply(&format!(
            "{}{}//- /w/t/terramate.tm.hcl\nterramate {{\n  required_version = \">= 0.1\"\n}}\n//- /w/t/a/stack.tm.hcl\nstack {{}}\n",
            manifests(&[("a", &["b"]), ("b", &[])]),
            super::pictures::many_to_many(1, 1)
        )),
        linked(),
        Drawing::default(),
    ]
}

/// A manifest of Tazuna and a stack of Terramate that each run the directory of another project.
fn linked() -> Drawing {
    let tazuna = "//- /w/t/a/tazuna.yaml\nspec:\n  manifests:\n    - {name: base, type: kustomize, path: ../nowhere}\n    \
                  - {name: app, type: kustomize, path: k8s/, dependsOn: [base]}\n";
    let kapp = super::pictures::many_to_many(1, 1).replace("/w/", "/w/t/a/k8s/");
    apply(&format!(
        "{tazuna}{kapp}//- /w/t/terramate.tm.hcl\nterramate {{\n  required_version = \">= 0.1\"\n}}\n\
         //- /w/t/a/stack.tm.hcl\nstack {{}}\n//- /w/t/b/stack.tm.hcl\nstack {{}}\n"
    ))
}

#[test]
fn a_unit_that_runs_another_project_is_linked_to_it() {
    let drawing = linked();
    let shown: Vec<String> = drawing
        .links
        .iter()
        .map(|link| {
            let engine = |at: usize| drawing.pictures[at].engine;
            format!("{} {} runs {}", engine(link.from), link.unit, engine(link.to))
        })
        .collect();
    let units = drawing.pictures.iter().map(columns).collect::<Vec<_>>();
    assert_eq!(
        shown,
        ["tazuna app runs kapp", "terramate /a runs tazuna"],
        "{units:?}"
    );
    let svg = drawing.write(Format::Svg);
    assert_eq!(svg.matches("class=\"link\"").count(), 2, "{svg}");
    assert!(svg.contains("<title>app runs "), "{svg}");
    let data = drawing.data();
    let names: Vec<&str> = data["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| {
            let all = data["pictures"].as_array().unwrap();
            let mut nodes = all.iter().flat_map(|p| p["nodes"].as_array().unwrap());
            nodes.find(|n| n["id"] == link["from"]).unwrap()["name"]
                .as_str()
                .unwrap()
        })
        .collect();
    assert_eq!(names, ["app", "/a"]);
    assert!(drawing.write(Format::Dot).contains("lhead=cluster_"));
    assert!(drawing.write(Format::Mermaid).contains(" ==>|runs| "));
}

/// The names that a drawing has to show: XML cannot contain control characters.
fn shown(drawing: &Drawing) -> Vec<String> {
    let names = drawing
        .pictures
        .iter()
        .flat_map(|p| &p.nodes)
        .map(|n| n.name.clone());
    names
        .map(|n| {
            n.chars()
                .map(|c| if c.is_control() { '\u{fffd}' } else { c })
                .collect()
        })
        .collect()
}

#[test]
fn svg_is_xml_without_active_content() {
    for drawing in drawings() {
        let text = drawing.write(Format::Svg);
        let doc = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let allowed = [
            "svg", "style", "defs", "marker", "path", "rect", "text", "title", "g", "a", "circle",
        ];
        for node in doc.descendants().filter(roxmltree::Node::is_element) {
            assert!(allowed.contains(&node.tag_name().name()), "{:?}", node.tag_name());
            assert!(
                !node
                    .attributes()
                    .any(|a| a.name().starts_with("on") || a.name() == "style")
            );
        }
        let style = doc.descendants().filter(|n| n.has_tag_name("style"));
        assert!(
            style
                .flat_map(|n| n.text())
                .all(|css| !css.contains("url(") && !css.contains("@import"))
        );
    }
    let drawing = hostile();
    let text = drawing.write(Format::Svg);
    let doc = roxmltree::Document::parse(&text).unwrap();
    let titles: Vec<&str> = doc
        .descendants()
        .filter(|n| n.has_tag_name("title"))
        .filter_map(|n| n.text())
        .collect();
    for name in shown(&drawing) {
        let lines: Vec<&str> = titles
            .iter()
            .copied()
            .filter(|t| t.starts_with(name.as_str()))
            .collect();
        assert!(!lines.is_empty(), "{name:?} is not shown");
    }
}

/// Renderers without variables treat a declaration with one as black, even after a plain one.
#[test]
fn colors_are_plain_where_variables_are_not_understood() {
    let (plain, rest) = crate::svg::STYLE
        .split_once("@supports (fill:var(--fg))")
        .unwrap();
    assert!(!plain.contains("var("), "{plain}");
    let supported: Vec<&str> = rest.lines().skip(1).take_while(|line| *line != "}").collect();
    assert!(supported.len() > 20);
    let rules = |sheet: &str| -> Vec<(String, String)> {
        let rules = sheet
            .lines()
            .filter_map(|line| line.strip_suffix('}')?.split_once('{'));
        rules
            .flat_map(|(selectors, declarations)| {
                let selectors = selectors.split(',').map(str::to_owned);
                selectors.flat_map(move |selector| {
                    let of = move |d: &str| (selector.clone(), d.split(':').next().unwrap_or("").to_owned());
                    declarations.split(';').map(of).collect::<Vec<_>>()
                })
            })
            .collect()
    };
    let known = rules(plain);
    for (selector, property) in rules(&supported.join("\n")) {
        // The outline around a text is for renderers that draw it beneath the text.
        let around = property.starts_with("stroke")
            && matches!(&*selector, ".applyorder .label" | ".applyorder .note");
        assert!(
            around || known.contains(&(selector.clone(), property.clone())),
            "{selector} has no plain {property}"
        );
    }
}

#[test]
fn dot_is_read_by_a_parser_of_dot() {
    for drawing in drawings() {
        let text = drawing.write(Format::Dot);
        let graph = DotParser::new(&text)
            .process()
            .unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(graph.name, "applyorder");
        // Quoted text stays quoted: outside strings there is only what we write.
        let outside = outside_of_strings(&text);
        for word in ["alert", "shape=box", "javascript", "theme"] {
            let own = usize::from(word == "shape=box");
            assert_eq!(outside.matches(word).count(), own, "{word}\n{text}");
        }
    }
}

/// A text of DOT without its quoted strings and comments.
fn outside_of_strings(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut chars = line.split_once(" // ").map_or(line, |(code, _)| code).chars();
        let mut inside = false;
        while let Some(c) = chars.next() {
            match c {
                '\\' if inside => {
                    chars.next();
                }
                '"' => inside = !inside,
                c if !inside => out.push(c),
                _ => {}
            }
        }
        assert!(!inside, "a string goes over the end of its line: {line}");
        out.push('\n');
    }
    out
}

#[test]
fn mermaid_is_read_by_a_parser_of_mermaid() {
    let engine = Engine::new();
    for drawing in drawings() {
        let text = drawing.write(Format::Mermaid);
        let parsed = engine
            .parse_diagram_sync(&text, ParseOptions::strict())
            .unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert!(parsed.is_some(), "{text}");
        for line in text.lines() {
            assert!(!line.contains("click ") || line.contains('"'), "{line}");
            assert!(!line.contains("%%{"), "{line}");
        }
    }
    let text = hostile().write(Format::Mermaid);
    for word in [
        "<script>",
        "</script>",
        "`",
        "&lt;",
        "--> b",
        "javascript:alert(1)",
    ] {
        assert!(!text.contains(word), "{word}\n{text}");
    }
}

#[test]
fn the_edge_to_cut_is_declared_last_in_mermaid() {
    let text = apply(&manifests(&[
        ("a", &["c"]),
        ("b", &["a"]),
        ("c", &["b"]),
        ("d", &["a"]),
    ]))
    .write(Format::Mermaid);
    let edges: Vec<&str> = text
        .lines()
        .filter(|l| l.contains("=>") || l.contains("->"))
        .collect();
    assert!(edges.last().unwrap().contains("cut here"), "{text}");
}

#[test]
fn a_page_loads_and_runs_nothing_but_its_own_script() {
    for drawing in drawings() {
        let page = drawing.write(Format::Html);
        let count = |text: &str| page.matches(text).count();
        // Text of files can neither open nor close an element.
        assert_eq!((count("<script"), count("</script")), (2, 2));
        assert_eq!((count("<style"), count("</style")), (2, 2));
        assert!(!page.contains("<!--") && !page.contains("src="));
        let policy = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
        let policy = policy.split('"').next().unwrap();
        assert!(
            policy.starts_with("default-src 'none'; script-src 'sha256-"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
        let data = page
            .split("id=\"data\">")
            .nth(1)
            .unwrap()
            .split("</script>")
            .next()
            .unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        let nodes = data["pictures"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|p| p["nodes"].as_array().unwrap());
        let drawn = page.matches("data-node=").count();
        assert_eq!(nodes.count(), drawn);
    }
}

#[test]
fn a_page_stays_small() {
    let small = apply(&manifests(&[("a", &[])]));
    let page = small.write(Format::Html);
    assert!(page.len() < 150_000, "{}", page.len());
}

#[test]
fn data_has_names_as_they_are() {
    let data = hostile().data();
    let nodes = data["pictures"][0]["nodes"].as_array().unwrap();
    for name in HOSTILE {
        assert!(nodes.iter().any(|n| n["name"] == name), "{name:?}");
    }
    let edge = &data["pictures"][0]["edges"][0];
    assert!(edge["from"].is_u64() && edge["kind"] == "explicit");
}
