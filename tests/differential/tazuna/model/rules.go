package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"
)

func (d document) checkVersion() error {
	wanted := strings.TrimSpace(d.Spec.MinimumVersion)
	if wanted == "" {
		return nil
	}
	if _, err := semver.NewVersion(wanted); err != nil {
		return fmt.Errorf("spec.minimumSupportedTazunaVersion %q is not a valid semver: %w", wanted, err)
	}
	return nil
}

// validate is stages 5 and 6: it returns the first error.
func (d document) validate(base string) error {
	constants := []struct{ field, got, want string }{
		{"apiVersion", d.APIVersion, "tazuna.pepabo.com/v1"},
		{"kind", d.Kind, "Tazuna"},
	}
	for _, c := range constants {
		if c.got != "" && c.got != c.want {
			return fmt.Errorf("%s must be %q, got %q", c.field, c.want, c.got)
		}
	}
	if err := (environment{d.Spec.ContextMatches, d.Spec.ContextMatchMode}).validate(""); err != nil {
		return err
	}
	for name, env := range d.Spec.Environments {
		if name == "" {
			return errors.New("environment name must not be empty")
		}
		if err := env.validate(fmt.Sprintf("environments[%q].", name)); err != nil {
			return err
		}
	}
	for i, m := range d.Spec.Manifests {
		if err := m.validate(base); err != nil {
			return fmt.Errorf("validation failed for manifest[%d]: %w", i, err)
		}
	}
	return validateProviders(d.Spec.Providers)
}

func (e environment) validate(prefix string) error {
	for i, pattern := range e.ContextMatches {
		if _, err := regexp.Compile(pattern); err != nil {
			return fmt.Errorf("%scontext_matches[%d] is not a valid regex: %w", prefix, i, err)
		}
	}
	switch e.ContextMatchMode {
	case "", "or", "and":
		return nil
	}
	return fmt.Errorf("%scontext_match_mode must be 'or' or 'and', got: %s", prefix, e.ContextMatchMode)
}

func (m manifest) validate(base string) error {
	for i, include := range m.Includes {
		if include.Path == "" {
			return fmt.Errorf("include[%d].path is required", i)
		}
		path := filepath.Join(base, include.Path)
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return fmt.Errorf("include file not found: %s", path)
		}
	}
	switch {
	case len(m.Includes) > 0:
		return nil
	case m.Path == "":
		return errors.New("manifest path is required")
	case m.Type == "":
		return errors.New("manifest type is required")
	}
	var err error
	switch m.Type {
	case "kustomize":
	case "helmfile":
		err = m.Helmfile.validate()
	case "genesissecret":
		err = validateSecrets(filepath.Join(base, m.Path))
	case "oras":
		err = m.ORAS.validate()
	default:
		return fmt.Errorf("unsupported manifest type: %s", m.Type)
	}
	if err != nil {
		return fmt.Errorf("%s validation failed for manifest %s: %w", m.Type, m.Path, err)
	}
	return nil
}

func (h *helmfile) validate() error {
	if h == nil {
		return nil
	}
	for name, v := range h.Vars {
		if problem := v.problem(); problem != "" {
			return fmt.Errorf("helmfile var '%s' validation failed: helmfile var '%s' %s", name, name, problem)
		}
	}
	return nil
}

func (v variable) problem() string {
	switch v.From {
	case "":
		return "has no From field, supported From is 'env/static/op'"
	case "env":
		if v.Env == nil {
			return "has From env but no env field"
		}
	case "static":
		set := 0
		for _, given := range []bool{v.Static != nil, v.StaticSlice != nil, v.StaticMap != nil} {
			if given {
				set++
			}
		}
		if set == 0 {
			return "has From static but no static/staticSlice/staticMap field"
		}
		if set > 1 {
			return "has From static but multiple static fields are set"
		}
	case "op":
		if v.Op == nil {
			return "has From op but no op field"
		}
		fields := []struct{ name, value string }{
			{"key", v.Op.Key}, {"vault", v.Op.Vault}, {"item", v.Op.Item}, {"field", v.Op.Field},
		}
		for _, f := range fields {
			if f.value == "" {
				return fmt.Sprintf("has From op but op.%s field is empty", f.name)
			}
		}
		if v.Op.Key != "id" && v.Op.Key != "label" {
			return "has From op but op.key field has invalid value: " + v.Op.Key
		}
	default:
		return "has unsupported From field: " + v.From
	}
	return ""
}

func (o *oras) validate() error {
	switch {
	case o == nil:
		return errors.New("oras spec is required for oras manifest")
	case o.Reference == "":
		return errors.New("oras.reference is required")
	case o.Delegate.Type == "kustomize":
		return nil
	case o.Delegate.Type != "helmfile":
		return fmt.Errorf("oras.delegate.type must be 'helmfile' or 'kustomize', got: %q", o.Delegate.Type)
	}
	if err := o.Delegate.Helmfile.validate(); err != nil {
		return fmt.Errorf("oras.delegate.helmfile validation failed: %w", err)
	}
	return nil
}

// validateSecrets is silent about a file that cannot be read or decoded.
func validateSecrets(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var secret secretFile
	if yaml.Unmarshal(raw, &secret) != nil {
		return nil
	}
	if secret.Spec.Provider != "" && secret.Spec.Provider != "default-op" {
		return nil
	}
	for i, s := range secret.Spec.Secrets {
		if problem := uriProblem(s.URI); problem != "" {
			return fmt.Errorf("secrets[%d].uri validation failed: %s", i, problem)
		}
	}
	return nil
}

func uriProblem(uri string) string {
	const expected = "expected format is op://<host>/<vault>/<item>"
	malformed := fmt.Sprintf("1Password URI %q is malformed, %s", uri, expected)
	parsed, err := url.Parse(uri)
	if err != nil {
		return fmt.Sprintf("invalid 1Password URI %q: %s", uri, err)
	}
	if parsed.Scheme != "op" {
		return fmt.Sprintf("1Password URI %q must use op:// scheme, %s", uri, expected)
	}
	parts := strings.Split(strings.TrimPrefix(parsed.Path, "/"), "/")
	if parsed.Host == "" || len(parts) != 2 || parts[0] == "" || parts[1] == "" {
		return malformed
	}
	return ""
}

func validateProviders(list []provider) error {
	seen := map[string]bool{}
	for i, p := range list {
		at := fmt.Sprintf("providers[%d]", i)
		switch {
		case p.Name == "":
			return fmt.Errorf("%s: name is required", at)
		case p.Name == "default-op":
			return fmt.Errorf("%s: name %q is reserved for the built-in provider", at, p.Name)
		case seen[p.Name]:
			return fmt.Errorf("%s: duplicate name %q", at, p.Name)
		}
		seen[p.Name] = true
		var problem string
		switch {
		case p.Type == "":
			problem = "type is required"
		case p.Type == "onepassword":
			problem = `explicit "onepassword" type is not supported yet; use the built-in "default-op"`
		case p.Type != "envfile":
			problem = fmt.Sprintf("unsupported provider type %q", p.Type)
		case p.Envfile == nil:
			problem = "envfile config is required for envfile type"
		case p.Envfile.Path == "":
			problem = "envfile.path is required"
		}
		if problem != "" {
			return fmt.Errorf("%s (%q): %s", at, p.Name, problem)
		}
	}
	return nil
}

var validName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)

func nameErrors(list []manifest) error {
	var found []error
	count := map[string]int{}
	for i, m := range list {
		at := fmt.Sprintf("manifest[%d]: name", i)
		switch {
		case m.Name == "":
			found = append(found, fmt.Errorf("%s is required", at))
		case m.Name == "_metadata":
			found = append(found, fmt.Errorf("%s %q is reserved", at, m.Name))
		case len(m.Name) > 240:
			found = append(found, fmt.Errorf("%s %q is too long (%d chars, max 240)", at, m.Name, len(m.Name)))
		case !validName.MatchString(m.Name):
			found = append(found, fmt.Errorf("%s %q contains invalid characters (allowed: lowercase a-z0-9 and '-',"+
				" must start and end with an alphanumeric)", at, m.Name))
		default:
			count[m.Name]++
		}
	}
	for name, n := range count {
		if n > 1 {
			found = append(found, fmt.Errorf("manifest name %q is duplicated (%d times)", name, n))
		}
	}
	return errors.Join(found...)
}

func referenceErrors(list []manifest) error {
	known := map[string]bool{}
	for _, m := range list {
		known[m.Name] = true
	}
	var found []error
	for _, m := range list {
		for _, dependency := range m.DependsOn {
			if dependency == m.Name {
				found = append(found, fmt.Errorf("manifest %q depends on itself", m.Name))
			} else if !known[dependency] {
				found = append(found, fmt.Errorf("manifest %q dependsOn references unknown manifest %q", m.Name, dependency))
			}
		}
	}
	return errors.Join(found...)
}

// cycleError removes one layer after the other until nothing is left or nothing changes.
func cycleError(list []manifest) error {
	waiting := map[string][]string{}
	for _, m := range list {
		waiting[m.Name] = append(waiting[m.Name], m.DependsOn...)
	}
	for len(waiting) > 0 {
		var ready []string
		for name, dependencies := range waiting {
			blocked := false
			for _, d := range dependencies {
				if _, there := waiting[d]; there {
					blocked = true
				}
			}
			if !blocked {
				ready = append(ready, name)
			}
		}
		if len(ready) == 0 {
			return errors.New("circular dependency detected in manifest dependsOn graph")
		}
		for _, name := range ready {
			delete(waiting, name)
		}
	}
	return nil
}
