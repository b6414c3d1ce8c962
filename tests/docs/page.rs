//! A page of Markdown, and its runnable parts.

/// A page: text, and blocks.
pub(crate) struct Page(Vec<Part>);

enum Part {
    Text(String),
    Block(Block),
}

/// Something that a page shows.
pub(crate) struct Block {
    /// The fence before the commands.
    head: String,
    /// The lines after it.
    tail: String,
    /// The lines of a block that is not run.
    quoted: String,
    pub(crate) run: Run,
}

/// How to run it.
pub(crate) enum Run {
    /// Not at all, with a reason.
    Not,
    /// As one script.
    Script(String),
    /// Command by command.
    Console(Vec<Step>),
}

/// A command, and what it prints.
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) output: Vec<String>,
}

fn is_elision(line: &str) -> bool {
    matches!(line.trim(), "..." | "…")
}

impl Step {
    /// Whether the output matches a text.
    pub(crate) fn shows(&self, text: &str) -> bool {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let mut parts = self.output.split(|line| is_elision(line));
        let first = parts.next().unwrap_or_default();
        let rest: Vec<&[String]> = parts.collect();
        let starts = lines.len() >= first.len() && lines.iter().zip(first).all(|(a, b)| a == b);
        let Some((last, middle)) = rest.split_last() else {
            return starts && lines.len() == first.len();
        };
        let mut at = first.len();
        for part in middle {
            let found = lines
                .get(at..)
                .and_then(|l| l.windows(part.len().max(1)).position(|w| w == *part));
            match found {
                Some(found) => at += found + part.len(),
                None => return false,
            }
        }
        starts && lines.len() >= at + last.len() && lines[lines.len() - last.len()..] == **last
    }

    /// Replaces the output with a text; as many lines as were shown before the first elision.
    pub(crate) fn set(&mut self, text: &str) {
        let lines = text.lines().map(|line| line.trim_end().to_owned());
        self.output = match self.output.iter().position(|line| is_elision(line)) {
            Some(shown) => lines.take(shown).chain([self.output[shown].clone()]).collect(),
            None => lines.collect(),
        };
    }
}

impl Block {
    fn text(&self) -> String {
        let mut body = self.quoted.clone();
        if let Run::Console(steps) = &self.run {
            for step in steps {
                let command = step.command.replace('\n', "\n> ").replace("> \n", ">\n");
                body.push_str(&format!("$ {command}\n"));
                step.output
                    .iter()
                    .for_each(|line| body.push_str(&format!("{line}\n")));
            }
        }
        format!("{}{body}{}", self.head, self.tail)
    }

    /// The commands, run or not.
    pub(crate) fn commands(&self) -> String {
        match &self.run {
            Run::Not | Run::Script(_) => self.quoted.clone(),
            Run::Console(steps) => steps.iter().map(|step| step.command.clone() + "\n").collect(),
        }
    }
}

impl Page {
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.0.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Block(block) => Some(block),
        })
    }

    pub(crate) fn blocks_mut(&mut self) -> impl Iterator<Item = &mut Block> {
        self.0.iter_mut().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Block(block) => Some(block),
        })
    }

    pub(crate) fn text(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Block(block) => block.text(),
        };
        self.0.iter().map(part).collect()
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut lines = text.split_inclusive('\n').enumerate();
        while let Some((at, line)) = lines.next() {
            let indent = &line[..line.len() - line.trim_start().len()];
            let Some(info) = line.trim().strip_prefix("```") else {
                parts.push(Part::Text(line.to_owned()));
                continue;
            };
            let mut body = String::new();
            let mut tail = String::new();
            for (_, line) in lines.by_ref() {
                if line.trim() == "```" {
                    tail = line.to_owned();
                    break;
                }
                body.push_str(line);
            }
            let (language, note) = info.split_once(' ').unwrap_or((info, ""));
            let place = || format!("line {}", at + 1);
            let run = match (language, note.strip_prefix("no-run:").map(str::trim)) {
                ("sh" | "console", Some("")) => return Err(format!("{}: no-run gives no reason", place())),
                ("sh" | "console", Some(_)) => Run::Not,
                ("sh", None) => Run::Script(body.clone()),
                ("console", None) if indent.is_empty() => {
                    Run::Console(steps(&body).map_err(|e| format!("{}: {e}", place()))?)
                }
                ("console", None) => return Err(format!("{}: a console block is not indented", place())),
                _ if body.lines().any(|line| line.trim_start().starts_with("$ ")) => {
                    return Err(format!("{}: a block with commands is `console`", place()));
                }
                _ => {
                    parts.push(Part::Text(format!("{line}{body}{tail}")));
                    continue;
                }
            };
            parts.push(Part::Block(Block {
                head: line.to_owned(),
                tail,
                quoted: if matches!(run, Run::Console(_)) {
                    String::new()
                } else {
                    body
                },
                run,
            }));
        }
        Ok(Self(parts))
    }
}

fn steps(body: &str) -> Result<Vec<Step>, String> {
    let mut steps: Vec<Step> = Vec::new();
    for line in body.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: command.to_owned(),
                output: Vec::new(),
            });
            continue;
        }
        let step = steps.last_mut().ok_or("a console block starts with a command")?;
        match line.strip_prefix('>').filter(|_| step.output.is_empty()) {
            Some(more) => step
                .command
                .push_str(&format!("\n{}", more.strip_prefix(' ').unwrap_or(more))),
            None => step.output.push(line.to_owned()),
        }
    }
    Ok(steps)
}

#[test]
fn a_page_is_taken_apart_and_put_together() {
    let text = "a\n```console\n$ one\n> two\n>\n> four\nout\n$ three\n```\n\n   ```sh no-run: why\n   x\n   ```\n```yaml\na: 1\n```\nend";
    let page = Page::parse(text).unwrap();
    assert_eq!(page.text(), text);
    assert_eq!(page.blocks().count(), 2);
    let commands: Vec<String> = page.blocks().map(Block::commands).collect();
    assert_eq!(commands, ["one\ntwo\n\nfour\nthree\n", "   x\n"]);
    for wrong in [
        "```\n$ x\n```\n",
        "```sh no-run:\nx\n```\n",
        "```console\nout\n```\n",
    ] {
        assert!(Page::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn an_output_may_leave_out_lines() {
    let step = |output: &str| Step {
        command: String::new(),
        output: output.lines().map(str::to_owned).collect(),
    };
    for (output, text, shows) in [
        ("a\nb", "a\nb\n", true),
        ("a\nb", "a\nb\nc\n", false),
        ("a\nb", "a\n", false),
        ("a\n...", "a\nb\nc\n", true),
        ("a\n...", "a\n", true),
        ("b\n...", "a\nb\n", false),
        ("a\n...\nd", "a\nb\nc\nd\n", true),
        ("a\n...\nd", "a\nb\nc\n", false),
        ("a\n...\nc\n...\ne", "a\nb\nc\nd\ne\n", true),
        ("a\n...\nd\n...\nb", "a\nb\nc\nd\n", false),
        ("a\n...\na", "a\n", false),
        ("", "", true),
    ] {
        assert_eq!(step(output).shows(text), shows, "{output:?} {text:?}");
    }
    let mut kept = step("x\n...");
    kept.set("a\nb\nc\n");
    assert_eq!(kept.output, ["a", "..."]);
}
