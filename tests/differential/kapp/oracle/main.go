// Command kapp-oracle prints the results of kapp's own packages for manifests: per line of standard input one JSON
// object, per line of standard output the answer. Only a cluster's kinds and objects are faked.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"syscall"
	"testing/fstest"
	"time"

	"github.com/vmware-tanzu/carvel-kapp/pkg/kapp/app"
	"github.com/vmware-tanzu/carvel-kapp/pkg/kapp/config"
	"github.com/vmware-tanzu/carvel-kapp/pkg/kapp/diff"
	"github.com/vmware-tanzu/carvel-kapp/pkg/kapp/diffgraph"
	"github.com/vmware-tanzu/carvel-kapp/pkg/kapp/logger"
	"github.com/vmware-tanzu/carvel-kapp/pkg/kapp/resources"
	"github.com/vmware-tanzu/carvel-kapp/pkg/kapp/version"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// input is one question. Kinds are "apiVersion Kind" with whether they have a namespace.
type input struct {
	Files    []file          `json:"files"`
	Existing []file          `json:"existing"`
	Kinds    map[string]bool `json:"kinds"`
	Runs     int             `json:"runs"`
	Time     bool            `json:"time"`
	// Print: what was deployed before is read back from a cluster, and printed.
	Print bool `json:"print"`
}

type file struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// outcome is the result of one operation.
type outcome struct {
	OK     bool        `json:"ok"`
	Stage  string      `json:"stage"`
	Errors []string    `json:"errors"`
	Edges  [][2]string `json:"edges"`
	Layers [][]string  `json:"layers"`
	Micros int64       `json:"micros,omitempty"`
}

type answer struct {
	Deploy  outcome  `json:"deploy"`
	Delete  *outcome `json:"delete"`
	Removal *outcome `json:"removal"`
	Update  *outcome `json:"update"`
	Printed string   `json:"printed,omitempty"`
}

// kinds answers which kinds the cluster has.
type kinds struct{ all []resources.ResourceType }

func (k kinds) All(bool) ([]resources.ResourceType, error) { return k.all, nil }
func (k kinds) Find(resources.Resource) (resources.ResourceType, error) {
	return resources.ResourceType{}, fmt.Errorf("not asked")
}
func (k kinds) CanIgnoreFailingGroupVersion(schema.GroupVersion) bool { return false }

// scopes are the cluster's kinds: those given, and all others as the resources use them.
func scopes(given map[string]bool, rs []resources.Resource) kinds {
	all := map[string]bool{}
	for _, r := range rs {
		key := r.APIVersion() + " " + r.Kind()
		if _, found := given[key]; !found {
			all[key] = all[key] || r.Namespace() != ""
		}
	}
	for key, namespaced := range given {
		all[key] = namespaced
	}
	var out kinds
	for key, namespaced := range all {
		apiVersion, kind, _ := strings.Cut(key, " ")
		group, ver, found := strings.Cut(apiVersion, "/")
		if !found {
			group, ver = "", apiVersion
		}
		out.all = append(out.all, resources.ResourceType{
			GroupVersionResource: schema.GroupVersionResource{Group: group, Version: ver},
			APIResource:          metav1.APIResource{Group: group, Version: ver, Kind: kind, Namespaced: namespaced},
		})
	}
	return out
}

// failure is an error of kapp's with the stage it arose in.
type failure struct {
	stage string
	text  string
}

// prepared is the result of the stages before the graph.
type prepared struct {
	rs   []resources.Resource
	conf conf
}

// conf are the default Config and those of the input, in this order.
type conf struct{ defaults, own config.Conf }

var defaults = func() config.Conf {
	_, c, err := config.NewConfFromResourcesWithDefaults(nil)
	if err != nil {
		panic(err)
	}
	return c
}()

func (c conf) groups() []config.ChangeGroupBinding {
	return append(append([]config.ChangeGroupBinding{}, c.defaults.ChangeGroupBindings()...), c.own.ChangeGroupBindings()...)
}

func (c conf) rules() []config.ChangeRuleBinding {
	return append(append([]config.ChangeRuleBinding{}, c.defaults.ChangeRuleBindings()...), c.own.ChangeRuleBindings()...)
}

func prepare(files []file, given map[string]bool) (result prepared, fail *failure) {
	stage := "load"
	defer func() {
		if r := recover(); r != nil {
			fail = panicked(r)
		}
	}()
	failed := func(err error) (prepared, *failure) { return prepared{}, &failure{stage, err.Error()} }
	var rs []resources.Resource
	for _, f := range files {
		fsys := fstest.MapFS{f.Path: &fstest.MapFile{Data: []byte(f.Text)}}
		parts, err := resources.NewFileResources(fsys, f.Path)
		if err != nil {
			return failed(err)
		}
		for _, part := range parts {
			more, err := part.Resources()
			if err != nil {
				return failed(err)
			}
			rs = append(rs, more...)
		}
	}
	stage = "config"
	configs := rs
	rs, own, err := config.NewConfFromResources(rs)
	if err != nil {
		return failed(err)
	}
	stage = "prepare"
	opts := app.PrepareResourcesOpts{
		BeforeModificationFunc: func(rs []resources.Resource) []resources.Resource { return rs },
		DefaultNamespace:       "default",
	}
	rs, err = app.NewPreparation(scopes(given, rs), opts).PrepareResources(rs)
	if err != nil {
		return failed(err)
	}
	stage = "label"
	selector := labels.Set{"kapp.k14s.io/app": "1"}.AsSelector()
	labelled := resources.NewLabeledResources(selector, resources.IdentifiedResources{}, logger.NewNoopLogger())
	_, both, err := config.NewConfFromResourcesWithDefaults(configs)
	if err != nil {
		return failed(err)
	}
	err = labelled.Prepare(rs, both.OwnershipLabelMods(), both.LabelScopingMods(true), both.AdditionalLabels())
	if err != nil {
		return failed(err)
	}
	stage = "prepare"
	if len(rs) == 0 {
		return failed(errors.New("Trying to apply empty set of resources will result in deletion of resources on cluster. " +
			"Refusing to continue unless --dangerous-allow-empty-list-of-resources is specified."))
	}
	return prepared{rs, conf{defaults, own}}, nil
}

func panicked(r interface{}) *failure {
	if err, ok := r.(runtime.Error); ok {
		return &failure{"crash", "panic: " + err.Error()}
	}
	text := fmt.Sprintf("panic: %v", r)
	text, _, _ = strings.Cut(text, "{")
	return &failure{"crash", text}
}

// comparing is kapp's comparison of existing resources with the desired ones.
func comparing(existing, wanted []resources.Resource, c conf) (found []diff.Change, fail *failure) {
	defer func() {
		if r := recover(); r != nil {
			found, fail = nil, panicked(r)
		}
	}()
	all, err := changes(existing, wanted, c)
	if err != nil {
		return nil, &failure{"diff", err.Error()}
	}
	return all, nil
}

// factoryOf compares by the rules of some Configs.
func factoryOf(c conf) diff.ChangeFactory {
	return diff.NewChangeFactory(
		append(c.defaults.RebaseMods(), c.own.RebaseMods()...),
		append(c.defaults.DiffAgainstLastAppliedFieldExclusionMods(), c.own.DiffAgainstLastAppliedFieldExclusionMods()...),
		append(c.defaults.DiffAgainstExistingFieldExclusionMods(), c.own.DiffAgainstExistingFieldExclusionMods()...),
		diff.ChangeOpts{})
}

func changes(existing, wanted []resources.Resource, c conf) ([]diff.Change, error) {
	factory := factoryOf(c)
	if err := diff.NewRenewableResources(existing, wanted).Prepare(); err != nil {
		return nil, err
	}
	options := diff.ChangeSetOpts{AgainstLastApplied: true}
	templates := append(c.defaults.TemplateRules(), c.own.TemplateRules()...)
	return diff.NewChangeSetWithVersionedRs(existing, wanted, templates, options, factory).Calculate()
}

// actual is a change in the form that the graph requires.
type actual struct {
	resource resources.Resource
	op       diffgraph.ActualChangeOp
}

func (a actual) Resource() resources.Resource { return a.resource }
func (a actual) Op() diffgraph.ActualChangeOp { return a.op }

func actuals(changes []diff.Change) []diffgraph.ActualChange {
	var out []diffgraph.ActualChange
	for _, change := range changes {
		op := diffgraph.ActualChangeOpNoop
		switch change.Op() {
		case diff.ChangeOpAdd, diff.ChangeOpUpdate, diff.ChangeOpExists:
			op = diffgraph.ActualChangeOpUpsert
		case diff.ChangeOpDelete:
			op = diffgraph.ActualChangeOpDelete
		}
		if change.IsIgnored() {
			op = diffgraph.ActualChangeOpNoop
		}
		out = append(out, actual{change.NewOrExistingResource(), op})
	}
	return out
}

// names are the identifiers of changes: kind and name, the namespace unless none or default, the API group if two would
// be identical.
func names(changes []diffgraph.ActualChange, withOp bool) map[diffgraph.ActualChange]string {
	count := map[string]int{}
	plain := func(c diffgraph.ActualChange) string {
		r := c.Resource()
		name := r.Kind() + "/" + r.Name()
		if ns := r.Namespace(); ns != "" && ns != "default" {
			name += "@" + ns
		}
		return name
	}
	for _, c := range changes {
		count[plain(c)]++
	}
	out := map[diffgraph.ActualChange]string{}
	for _, c := range changes {
		name := plain(c)
		if count[name] > 1 {
			name += "#" + c.Resource().APIGroup()
		}
		if withOp {
			name = string(c.Op()) + ":" + name
		}
		out[c] = name
	}
	return out
}

// graph runs several times if there is an error, because its text is not always the same.
func graph(changes []diffgraph.ActualChange, c conf, withOp bool, runs int) outcome {
	out := graphOnce(changes, c, withOp)
	for n := 1; n < runs && len(out.Errors) > 0; n++ {
		for _, text := range graphOnce(changes, c, withOp).Errors {
			known := false
			for _, have := range out.Errors {
				known = known || have == text
			}
			if !known {
				out.Errors = append(out.Errors, text)
			}
		}
	}
	return out
}

func graphOnce(changes []diffgraph.ActualChange, c conf, withOp bool) (out outcome) {
	defer func() {
		if r := recover(); r != nil {
			fail := panicked(r)
			out = outcome{Stage: fail.stage, Errors: []string{fail.text}}
		}
	}()
	started := processorTime()
	g, err := diffgraph.NewChangeGraph(changes, c.groups(), c.rules(), logger.NewNoopLogger())
	out.Micros = (processorTime() - started).Microseconds()
	cyclic := err != nil && strings.HasPrefix(err.Error(), "Detected cycle")
	if err != nil {
		out.Stage, out.Errors = "graph", []string{err.Error()}
		if !cyclic {
			return out
		}
	}
	name := names(changes, withOp)
	seen := map[[2]string]bool{}
	out.Edges = [][2]string{}
	for _, change := range g.All() {
		for _, awaited := range change.WaitingFor {
			edge := [2]string{name[change.Change], name[awaited.Change]}
			if !seen[edge] {
				seen[edge] = true
				out.Edges = append(out.Edges, edge)
			}
		}
	}
	sort.Slice(out.Edges, func(i, j int) bool {
		a, b := out.Edges[i], out.Edges[j]
		return a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
	})
	if cyclic {
		return out
	}
	out.OK = true
	g.RemoveMatching(func(c *diffgraph.Change) bool { return c.Change.Op() == diffgraph.ActualChangeOpNoop })
	out.Layers = [][]string{}
	linear, _ := g.Linearized()
	for _, section := range linear {
		var layer []string
		for _, change := range section {
			layer = append(layer, name[change.Change])
		}
		if len(layer) > 0 {
			sort.Strings(layer)
			out.Layers = append(out.Layers, layer)
		}
	}
	return out
}

// deployed are the objects that a first deploy would have created.
func deployed(files []file, given map[string]bool) ([]resources.Resource, *failure) {
	return saved(files, given, func(r resources.Resource, _ int) resources.Resource {
		// kapp stores the object's name in an annotation, and removes it when it reads the object back.
		r = r.DeepCopy()
		identity := resources.NewIdentityAnnotation(r)
		if err := identity.AddMod().Apply(r); err != nil {
			panic(err)
		}
		if err := identity.RemoveMod().Apply(r); err != nil {
			panic(err)
		}
		return r
	})
}

// saved are these objects as a cluster completes them, with kapp's notes.
func saved(
	files []file, given map[string]bool, complete func(resources.Resource, int) resources.Resource,
) (found []resources.Resource, fail *failure) {
	defer func() {
		if r := recover(); r != nil {
			found, fail = nil, panicked(r)
		}
	}()
	p, fail := prepare(files, given)
	if fail != nil {
		return nil, fail
	}
	all, fail := comparing(nil, p.rs, p.conf)
	if fail != nil {
		return nil, fail
	}
	var out []resources.Resource
	for _, change := range all {
		if change.Op() == diff.ChangeOpAdd {
			object := complete(change.NewResource(), len(out))
			noted, err := recorded(change, object, factoryOf(p.conf))
			if err != nil {
				return nil, &failure{"diff", err.Error()}
			}
			out = append(out, noted)
		}
	}
	return out, nil
}

// recorded is a resource once it is created, with kapp's note of what it applied.
func recorded(
	change diff.Change, saved resources.Resource, factory diff.ChangeFactory,
) (resources.Resource, error) {
	history := factory.NewResourceWithHistory(saved)
	if !history.AllowsRecordingLastApplied() {
		return saved, nil
	}
	applied, err := history.CalculateChange(change.AppliedResource())
	if err != nil {
		return nil, err
	}
	noted, made, err := history.RecordLastAppliedResource(applied)
	if err != nil || !made {
		return saved, err
	}
	return noted, nil
}

func failedOutcome(fail *failure) outcome {
	return outcome{Stage: fail.stage, Errors: []string{fail.text}}
}

// again is a deploy over what kapp applied on a cluster, and what it prints about it.
func again(in input) (out answer) {
	defer func() {
		if r := recover(); r != nil {
			out.Update = &outcome{Stage: "crash", Errors: []string{panicked(r).text}}
		}
	}()
	before, fail := saved(in.Existing, in.Kinds, completed)
	if fail != nil {
		return answer{Deploy: failedOutcome(fail)}
	}
	failed := func(err error) answer { return answer{Deploy: failedOutcome(&failure{"cluster", err.Error()})} }
	on, err := applied(before, in.Kinds)
	if err != nil {
		return failed(err)
	}
	if out.Printed, err = on.printed(); err != nil {
		return failed(err)
	}
	there, err := on.listed()
	if err != nil {
		return failed(err)
	}
	var update outcome
	if p, fail := prepare(in.Files, in.Kinds); fail != nil {
		update = failedOutcome(fail)
	} else if all, fail := comparing(there, p.rs, p.conf); fail != nil {
		update = failedOutcome(fail)
	} else {
		update = graph(actuals(all), p.conf, true, in.Runs)
	}
	out.Update = &update
	return out
}

func once(in input) answer {
	if in.Print {
		return again(in)
	}
	p, fail := prepare(in.Files, in.Kinds)
	if fail != nil {
		return answer{Deploy: failedOutcome(fail)}
	}
	all, fail := comparing(nil, p.rs, p.conf)
	if fail != nil {
		return answer{Deploy: failedOutcome(fail)}
	}
	out := answer{Deploy: graph(actuals(all), p.conf, false, in.Runs)}
	if in.Time {
		return out
	}
	var gone []diffgraph.ActualChange
	for _, change := range all {
		if change.Op() == diff.ChangeOpAdd {
			gone = append(gone, actual{change.NewOrExistingResource(), diffgraph.ActualChangeOpDelete})
		}
	}
	plain := graph(gone, conf{defaults: defaults}, false, in.Runs)
	own := graph(gone, p.conf, false, in.Runs)
	out.Delete, out.Removal = &plain, &own
	// A failure to deploy the previous state says nothing about an update.
	if in.Existing != nil {
		if before, fail := deployed(in.Existing, in.Kinds); fail == nil {
			update := outcome{}
			if p, fail := prepare(in.Files, in.Kinds); fail != nil {
				update = failedOutcome(fail)
			} else if all, fail := comparing(before, p.rs, p.conf); fail != nil {
				update = failedOutcome(fail)
			} else {
				update = graph(actuals(all), p.conf, true, in.Runs)
			}
			out.Update = &update
		}
	}
	return out
}

func main() {
	version.Version = "0.60.0"
	reader := bufio.NewScanner(os.Stdin)
	reader.Buffer(nil, 1<<30)
	var lines []string
	for reader.Scan() {
		lines = append(lines, reader.Text())
	}
	answers := make([]answer, len(lines))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for i, line := range lines {
		wait.Add(1)
		slots <- struct{}{}
		go func(i int, line string) {
			defer func() { <-slots; wait.Done() }()
			var in input
			if err := json.Unmarshal([]byte(line), &in); err != nil {
				panic(err)
			}
			answers[i] = once(in)
		}(i, line)
	}
	wait.Wait()
	writer := json.NewEncoder(os.Stdout)
	for _, a := range answers {
		if err := writer.Encode(a); err != nil {
			panic(err)
		}
	}
}

// processorTime is the time used by all threads so far, including the garbage collector.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
