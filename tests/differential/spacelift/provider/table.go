package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A block of the table: its arguments, and the rules for them.
type table struct {
	schema *tfprotov6.SchemaBlock
	rules  []rule
	blocks map[string]*table
}

// What the table contains about a name in addition to its type.
type rule struct {
	name                              string
	isBlock, required, computed, isID bool
	nonempty                          bool
	unset                             any
	conflicts, oneOf, anyOf, with     []string
}

// The tables of resources and data sources, by `resource TYPE` and `data TYPE`.
func readTables(path string) (map[string]*table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	tables := map[string]*table{}
	var open []*table
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		words := strings.Fields(line)
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		switch {
		case strings.HasPrefix(line, "#"):
		case depth == 0:
			open = []*table{newTable()}
			tables[line] = open[0]
		case len(words) < 3 || depth > len(open):
			return nil, fmt.Errorf("a line of the table cannot be read: %q", line)
		default:
			open = open[:depth]
			around := open[depth-1]
			rule := rule{name: words[0]}
			for _, word := range words[2:] {
				rule.read(word)
			}
			if words[1] == "block" {
				rule.isBlock = true
				inner := newTable()
				around.blocks[rule.name] = inner
				most, _ := strconv.ParseInt(words[2], 10, 64)
				around.schema.BlockTypes = append(around.schema.BlockTypes, &tfprotov6.SchemaNestedBlock{
					TypeName: rule.name,
					Block:    inner.schema,
					Nesting:  tfprotov6.SchemaNestedBlockNestingModeList,
					MaxItems: most,
				})
				open = append(open, inner)
			} else {
				rule.isID = rule.name == "id" && depth == 1 && words[2] == "either"
				around.schema.Attributes = append(around.schema.Attributes, &tfprotov6.SchemaAttribute{
					Name:      rule.name,
					Type:      ofType(words[1]),
					Required:  words[2] == "required",
					Optional:  words[2] == "optional" || words[2] == "either",
					Computed:  words[2] == "computed" || words[2] == "either",
					Sensitive: slices.Contains(words, "sensitive"),
				})
			}
			around.rules = append(around.rules, rule)
		}
	}
	return tables, lines.Err()
}

func newTable() *table {
	return &table{schema: &tfprotov6.SchemaBlock{}, blocks: map[string]*table{}}
}

func (r *rule) read(word string) {
	key, names, _ := strings.Cut(word, "=")
	list := strings.Split(names, ",")
	switch key {
	case "required":
		r.required = true
	case "computed":
		r.computed = true
	case "nonempty":
		r.nonempty = true
	case "default":
		_ = json.Unmarshal([]byte(names), &r.unset)
	case "conflicts":
		r.conflicts = list
	case "one-of":
		r.oneOf = list
	case "any-of":
		r.anyOf = list
	case "with":
		r.with = list
	}
}

func ofType(text string) tftypes.Type {
	inner := func(start string) (tftypes.Type, bool) {
		rest, found := strings.CutPrefix(text, start+"(")
		if !found {
			return nil, false
		}
		return plain(strings.TrimSuffix(rest, ")")), true
	}
	if element, found := inner("list"); found {
		return tftypes.List{ElementType: element}
	}
	if element, found := inner("set"); found {
		return tftypes.Set{ElementType: element}
	}
	if element, found := inner("map"); found {
		return tftypes.Map{ElementType: element}
	}
	return plain(text)
}

func plain(text string) tftypes.Type {
	switch text {
	case "bool":
		return tftypes.Bool
	case "number":
		return tftypes.Number
	default:
		return tftypes.String
	}
}

// What the provider itself rejects in a configuration.
func (t *table) check(value tftypes.Value, found *[]string) {
	fields := fields(value)
	given := func(name string) (yes, open bool) {
		field, there := fields[name]
		if !there || field.IsNull() {
			return false, false
		}
		if !field.IsKnown() {
			return false, true
		}
		return !slices.ContainsFunc(t.rules, func(r rule) bool { return r.isBlock && r.name == name }) || len(items(field)) > 0, false
	}
	count := func(names []string) (yes int, open int) {
		for _, name := range names {
			y, o := given(name)
			if y {
				yes++
			}
			if o {
				open++
			}
		}
		return yes, open
	}
	add := func(format string, arguments ...any) { *found = append(*found, fmt.Sprintf(format, arguments...)) }
	for _, rule := range t.rules {
		yes, open := given(rule.name)
		if rule.required && !yes && !open {
			add("Missing required argument: %s", rule.name)
		}
		if (rule.computed || rule.isID) && (yes || open) {
			add("Value for unconfigurable attribute: %s", rule.name)
		}
		if text, known := text(fields[rule.name]); known && rule.nonempty && text == "" {
			add("must not be an empty string: %s", rule.name)
		}
		if yes {
			for _, other := range rule.conflicts {
				if beside, _ := given(other); beside {
					add("Conflicting configuration arguments: %s, %s", rule.name, other)
				}
			}
			for _, other := range rule.with {
				if beside, open := given(other); !beside && !open {
					add("Missing required argument: %s, beside %s", other, rule.name)
				}
			}
		}
		if n, open := count(rule.oneOf); len(rule.oneOf) > 0 && (n > 1 || n == 0 && open == 0) {
			add("Invalid combination of arguments: %d of %v", n, rule.oneOf)
		}
		if n, open := count(rule.anyOf); len(rule.anyOf) > 0 && n == 0 && open == 0 {
			add("Missing required argument: one of %v", rule.anyOf)
		}
		if inner := t.blocks[rule.name]; inner != nil {
			for _, item := range items(fields[rule.name]) {
				inner.check(item, found)
			}
		}
	}
}

func fields(value tftypes.Value) map[string]tftypes.Value {
	found := map[string]tftypes.Value{}
	if value.IsKnown() && !value.IsNull() {
		_ = value.As(&found)
	}
	return found
}

func items(value tftypes.Value) []tftypes.Value {
	var found []tftypes.Value
	if value.Type() != nil && value.IsKnown() && !value.IsNull() {
		_ = value.As(&found)
	}
	return found
}

func text(value tftypes.Value) (string, bool) {
	var found string
	if value.Type() == nil || !value.Type().Is(tftypes.String) || !value.IsKnown() || value.IsNull() {
		return "", false
	}
	err := value.As(&found)
	return found, err == nil
}
