use super::*;

fn rendered(text: &str, environment: &str) -> Rendered<'static> {
    let fields = [("Environment", environment)];
    let text: &'static str = Box::leak(text.to_string().into_boxed_str());
    render(
        &parse(text),
        &Data {
            type_name: "tmpl.Data",
            fields: &fields,
        },
    )
}

/// The rendered text; for other outcomes the error and the text it is about.
fn shown(text: &str) -> String {
    let result = rendered(text, "prod");
    match result.outcome {
        Outcome::Rendered => result.text.into_owned(),
        Outcome::Error(e) => {
            let stage = if e.stage == Stage::Parse {
                "parse"
            } else {
                "render"
            };
            format!("{stage}: {} @ {}", e.message, e.span.slice(text))
        }
        Outcome::CannotAnalyse { span, reason } => format!("unknown: {reason} @ {}", span.slice(text)),
    }
}

#[track_caller]
fn all(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(shown(text), *expected, "{text}");
    }
}

#[test]
fn a_text_without_actions_is_not_copied() {
    let text = "a: {b: 1}}\n# }} { {\n";
    let template = parse(text);
    assert!(template.is_plain());
    let result = render(
        &template,
        &Data {
            type_name: "D",
            fields: &[],
        },
    );
    assert!(matches!(result.text, Cow::Borrowed(t) if std::ptr::eq(t, text)));
    assert_eq!(
        result.map.source(Span::new(2, 5)),
        Origin {
            span: Span::new(2, 5),
            exact: true
        }
    );
}

#[test]
fn actions_print_values_as_go_does() {
    all(&[
        ("name: {{ .Environment }}-x", "name: prod-x"),
        (
            "{{ $.Environment }}{{ (.).Environment }}{{ . }}",
            "prodprod{prod}",
        ),
        (
            "{{ 1 }} {{ 0x1F }} {{ 017 }} {{ 1_000 }} {{ 'a' }} {{ -0xfe }}",
            "1 31 15 1000 97 -254",
        ),
        (
            "{{ 1.0 }} {{ 1e5 }} {{ 1e6 }} {{ 0.00001 }}",
            "1 100000 1e+06 1e-05",
        ),
        ("{{ true }} {{ `a\\n` }} {{ \"\\u00e9\\t\" }}", "true a\\n é\t"),
        ("{{ and nil }}", "<no value>"),
        ("{{ print 1 2 \"a\" nil true }}", "1 2a<nil> true"),
        (
            "{{ printf \"%s-%d|%5s|%-3d|%03d|%q|%.2f\" \"a\" 7 \"b\" 1 2 \"x\\\"\" 1.5 }}",
            "a-7|    b|1  |002|\"x\\\"\"|1.50",
        ),
        ("{{ printf \"%d %s\" \"a\" }}", "%!d(string=a) %!s(MISSING)"),
        (
            "{{ html \"<a & 'b'>\" }} {{ urlquery \"a b&é\" }} {{ js \"'=\" }}",
            "&lt;a &amp; &#39;b&#39;&gt; a+b%26%C3%A9 \\'\\u003D",
        ),
        (
            "{{ len \"é\" }} {{ index \"abc\" 1 }} {{ slice \"abcd\" 1 3 }}",
            "2 98 bc",
        ),
    ]);
}

#[test]
fn trim_markers_and_comments_take_blanks_away() {
    all(&[
        ("a \n {{- 1 -}} \n b", "a1b"),
        ("a {{- /* c }} */ -}} b{{/* d */}}c", "abc"),
        ("{{-3}} {{- -}}", "parse: illegal number syntax: \"-\" @ -"),
        ("a {{ \"{{ x }}\" }}", "a {{ x }}"),
    ]);
}

#[test]
fn control_structures() {
    all(&[
        (
            "{{ if eq .Environment \"dev\" }}d{{ else if eq .Environment \"prod\" \"x\" }}p{{ else }}o{{ end }}",
            "p",
        ),
        ("{{ with .Environment }}{{ . }}{{ else }}none{{ end }}", "prod"),
        ("{{ with \"\" }}a{{ else with 3 }}{{ . }}{{ end }}", "3"),
        (
            "{{ range $i := 5 }}{{ if eq $i 1 }}{{ continue }}{{ end }}{{ if eq $i 3 }}{{ break }}{{ end }}{{ $i }}{{ end }}",
            "02",
        ),
        ("{{ range 0 }}a{{ else }}b{{ end }}", "b"),
        (
            "{{ define \"t\" }}[{{ . }}]{{ end }}{{ template \"t\" .Environment }}{{ template \"t\" }}",
            "[prod][<no value>]",
        ),
        ("{{ block \"b\" 1 }}<{{ . }}>{{ end }}", "<1>"),
        (
            "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ $x := 3 }}{{ end }}{{ $x }}",
            "2",
        ),
        (
            "{{ or \"\" .Values }}",
            "render: can't evaluate field Values in type tmpl.Data @ .Values",
        ),
        ("{{ or .Environment .Values }}{{ and \"\" .Values }}", "prod"),
        ("{{ .Environment | printf \"%s-%s\" \"a\" | len }}", "6"),
    ]);
}

#[test]
fn what_go_does_not_parse() {
    all(&[
        ("# {{ .Values.x", "parse: unclosed action @ "),
        ("{{a: b}: c}", "parse: function \"a\" not defined @ a"),
        ("{{ env \"X\" }}", "parse: function \"env\" not defined @ env"),
        ("{{ $x }}", "parse: undefined variable \"$x\" @ $x"),
        ("{{ if true }}a", "parse: unexpected EOF @ "),
        ("{{ end }}", "parse: unexpected {{end}} @ {{ end }}"),
        ("{{ if }}{{ end }}", "parse: missing value for if @ }}"),
        ("{{ break }}", "parse: {{break}} outside {{range}} @ break"),
        ("{{/* a", "parse: unclosed comment @ /*"),
        ("{{ \"a }}", "parse: unterminated quoted string @ \"a }}"),
        (
            "{{ 1 | 2 }}",
            "parse: non executable command in pipeline stage 2 @ 2",
        ),
        (
            "{{define \"a\"}}x{{end}}{{define \"a\"}}y{{end}}",
            "parse: template: multiple definition of template \"a\" @ \"a\"",
        ),
    ]);
}

#[test]
fn what_fails_on_the_data() {
    all(&[
        (
            "{{ .Values.x }}",
            "render: can't evaluate field Values in type tmpl.Data @ .Values.x",
        ),
        (
            "{{ .Environment.x }}",
            "render: can't evaluate field x in type string @ .Environment.x",
        ),
        (
            "{{ eq 1 1.0 }}",
            "render: error calling eq: incompatible types for comparison: int and float64 @ eq 1 1.0",
        ),
        (
            "{{ lt true false }}",
            "render: error calling lt: invalid type for comparison @ lt true false",
        ),
        (
            "{{ call (printf \"%s\" .Environment) 1 }}",
            "render: error calling call: non-function printf \"%s\" .Environment of type string @ \
             call (printf \"%s\" .Environment) 1",
        ),
        (
            "{{ .Environment | call }}",
            "render: error calling call: non-function prod of type string @ call",
        ),
        (
            "{{ 1.5 | call }}",
            "render: error calling call: non-function <float64 Value> of type float64 @ call",
        ),
        (
            "{{ . | call }}",
            "render: error calling call: non-function <tmpl.Data Value> of type tmpl.Data @ call",
        ),
        ("{{ nil }}", "render: nil is not a command @ nil"),
        (
            "{{ template \"x\" }}",
            "render: template \"x\" not defined @ \"x\"",
        ),
        ("{{ $y = 1 }}", "render: undefined variable: $y @ $y = 1"),
        (
            "{{ range .Environment }}{{ end }}",
            "render: range can't iterate over prod @ .Environment",
        ),
        ("{{ if false }}{{ .Values }}{{ end }}ok", "ok"),
    ]);
}

#[test]
fn what_is_not_modelled_gives_no_verdict_where_it_is_evaluated() {
    all(&[
        ("{{ 1i }}", "unknown: complex numbers are not supported @ 1i"),
        ("{{ if false }}{{ 1i }}{{ end }}ok", "ok"),
        (
            "{{ printf \"%#v\" 1 }}",
            "unknown: the flag `#` is not supported @ printf \"%#v\" 1",
        ),
        (
            "{{ template \"tazuna.yaml\" }}",
            "unknown: a template may have the file's own name @ \"tazuna.yaml\"",
        ),
    ]);
}

#[test]
fn a_run_is_bounded() {
    let deep = format!("{}{}", "{{ if true }}".repeat(5000), "{{ end }}".repeat(5000));
    let parens = format!("{{{{ {}1{} }}}}", "(".repeat(5000), ")".repeat(5000));
    let chain = format!(
        "{{{{ if false }}}}{}{{{{ end }}}}",
        "{{ else if false }}".repeat(5000)
    );
    let doubling = "{{ $x := \"0123456789\" }}{{ range 100 }}{{ $x = print $x $x }}{{ end }}".to_string();
    let endless = "{{ range 9000000000 }}{{ end }}".to_string();
    let recursive = "{{ define \"a\" }}{{ template \"a\" }}{{ end }}{{ template \"a\" }}".to_string();
    let long =
        "{{ define \"a\" }}0123456789{{ end }}{{ range 900000 }}{{ template \"a\" }}{{ end }}".to_string();
    for text in [deep, parens, doubling, endless, recursive, long] {
        let outcome = rendered(&text, "").outcome;
        assert!(matches!(outcome, Outcome::CannotAnalyse { .. }), "{outcome:?}");
    }
    assert_eq!(rendered(&chain, "").outcome, Outcome::Rendered);
    let variables = "{{ $x := 1 }}".repeat(50_000);
    assert!(matches!(
        rendered(&variables, "").outcome,
        Outcome::CannotAnalyse { .. }
    ));
    let open = rendered(&"{{ a\n".repeat(100_000), "");
    assert_eq!(open.holes.len(), 100_000);
}

#[test]
fn the_map_leads_from_rendered_text_to_its_source_and_back() {
    let text = "a: {{ .Environment }}-x\n{{- if true }}\nb: c\n{{ end }}";
    let result = rendered(text, "prod");
    assert_eq!(result.text, "a: prod-x\nb: c\n");
    let at = |part: &str| {
        let start = result.text.find(part).unwrap();
        let origin = result.map.source(Span::from_usize(start, start + part.len()));
        (origin.span.slice(text).to_string(), origin.exact)
    };
    assert_eq!(at("rod"), ("{{ .Environment }}".into(), false));
    assert_eq!(at("prod-x"), ("{{ .Environment }}-x".into(), false));
    assert_eq!(at("b: c"), ("b: c".into(), true));
    let source = |part: &str| {
        result
            .map
            .rendered(u32::try_from(text.find(part).unwrap()).unwrap())
    };
    assert_eq!(source("b: c"), Some(10));
    assert_eq!(source("Environment"), None);
    let end = u32::try_from(result.text.len()).unwrap();
    assert_eq!(
        result.map.source(Span::at(end)).span,
        Span::at(u32::try_from(text.rfind("{{").unwrap()).unwrap())
    );
}

#[test]
fn a_text_copied_twice_maps_back_to_its_first_place() {
    let text = "{{ range 2 }}ab{{ end }}";
    let result = rendered(text, "");
    assert_eq!(result.text, "abab");
    assert_eq!(result.map.rendered(14), Some(1));
    assert_eq!(
        result.map.source(Span::new(1, 3)),
        Origin {
            span: Span::new(13, 15),
            exact: true
        }
    );
}

#[test]
fn without_a_result_the_text_is_the_source_with_its_actions_blanked() {
    let text = "a: {{ .Values.x }}\nb: é{{ if\n x }}c\nd: {{ open\ne: 1\n";
    let result = rendered(text, "");
    assert!(matches!(result.outcome, Outcome::Error(_)));
    assert_eq!(
        result.text,
        "a:                \nb: é     \n     c\nd:        \ne: 1\n"
    );
    assert_eq!(result.text.len(), text.len());
    let holes: Vec<&str> = result.holes.iter().map(|h| h.slice(text)).collect();
    assert_eq!(holes, ["{{ .Values.x }}", "{{ if\n x }}", "{{ open"]);
}

mod any_text {
    use super::*;
    use proptest::prelude::*;

    const PARTS: &[&str] = &[
        "{{",
        "}}",
        "{{- ",
        " -}}",
        "{{/*",
        "*/}}",
        " ",
        "\n",
        "é",
        "a: b",
        "if ",
        "else",
        "end",
        "range 3",
        "with ",
        "define \"t\"",
        "template \"t\" .",
        "block \"t\" .",
        ".Environment",
        ".",
        "$x := 1",
        "$x",
        "eq 1 ",
        "print ",
        "\"s\"",
        "'c'",
        "`r`",
        "(",
        ")",
        "|",
        "break",
        "1.5",
        "nil",
        "\"",
        ",",
    ];

    fn action() -> impl Strategy<Value = String> {
        let inside = proptest::collection::vec(proptest::sample::select(PARTS), 0..4);
        inside.prop_map(|parts| format!("{{{{ {} }}}}", parts.concat()))
    }

    fn text() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            proptest::sample::select(PARTS).prop_map(str::to_owned),
            action(),
            Just("{{ range 2 }}x{{ end }}".to_owned()),
            Just("{{ if .Environment }}y\nz{{ end }}".to_owned()),
        ];
        proptest::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn what_is_exact_in_the_map_is_equal_in_source_and_result(text in text()) {
            let fields = [("Environment", "prod")];
            let result = render(&parse(&text), &Data { type_name: "D", fields: &fields });
            let byte = |text: &str, at: u32| text.as_bytes().get(at as usize).copied();
            if result.outcome != Outcome::Rendered {
                prop_assert_eq!(result.text.len(), text.len());
                prop_assert!(result.holes.iter().all(|h| text.get(h.range()).is_some()));
                return Ok(());
            }
            for at in 0..u32::try_from(result.text.len()).unwrap() {
                let origin = result.map.origin(at);
                prop_assert!(text.get(origin.span.range()).is_some() || origin.exact);
                if origin.exact {
                    prop_assert_eq!(byte(&text, origin.span.start), byte(&result.text, at));
                    let back = result.map.rendered(origin.span.start).unwrap();
                    prop_assert!(back <= at);
                    prop_assert_eq!(byte(&result.text, back), byte(&result.text, at));
                }
            }
        }

        #[test]
        fn errors_are_inside_the_text_and_their_action(text in text()) {
            let result = render(&parse(&text), &Data { type_name: "D", fields: &[] });
            if let Outcome::Error(error) = result.outcome {
                prop_assert!(text.get(error.span.range()).is_some());
                prop_assert!(text.get(error.action.range()).is_some());
                prop_assert!(!error.message.is_empty());
            }
        }
    }
}
