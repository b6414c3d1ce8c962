// Model restates the rules of `tazuna check` and of the parts of `tazuna apply` and `tazuna destroy` that need no
// cluster, using the same libraries with which Tazuna reads its files: text/template, sigs.k8s.io/yaml and
// encoding/json. It replaces the real tool where that cannot be built.
//
//	model check|apply|destroy -f FILE [-e ENVIRONMENT]
//	model render <TEMPLATES
//
// Exit code and messages are those of Tazuna, of the generation that its
// specification calls G5.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fail(errors.New("usage: model check|apply|destroy -f FILE [-e ENVIRONMENT]"))
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	file := flags.String("f", "tazuna.yaml", "the root file")
	environment := flags.String("e", "", "the environment")
	_ = flags.Parse(os.Args[2:])

	var err error
	switch os.Args[1] {
	case "check":
		err = check(*file, *environment)
	case "apply":
		err = apply(*file, *environment)
	case "destroy":
		_, err = expanded(*file, *environment)
	case "render":
		err = renderAll(os.Stdin, os.Stdout)
	default:
		err = fmt.Errorf("unknown command %q", os.Args[1])
	}
	if err != nil {
		fail(err)
	}
	if os.Args[1] != "render" {
		fmt.Println("ok")
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "error: "+err.Error())
	os.Exit(1)
}

// load covers what both commands do first: read, render, decode, validate.
func load(file, environment string) (document, string, error) {
	doc, err := read(file, file, environment)
	if err != nil {
		return doc, "", err
	}
	base, err := filepath.Abs(file)
	if err != nil {
		return doc, "", err
	}
	base = filepath.Dir(base)
	if err := doc.checkVersion(); err != nil {
		return doc, base, err
	}
	if err := doc.validate(base); err != nil {
		return doc, base, fmt.Errorf("validation failed for tazuna.yaml at %s: %w", file, err)
	}
	if environment != "" {
		if _, declared := doc.Spec.Environments[environment]; !declared {
			return doc, base, fmt.Errorf("environment %q is not declared under spec.environments", environment)
		}
	}
	return doc, base, nil
}

func check(file, environment string) error {
	doc, base, err := load(file, environment)
	if err != nil {
		return err
	}
	list, err := expand(doc.Spec.Manifests, base, environment)
	for _, stage := range []func([]manifest) error{nameErrors, referenceErrors, cycleError} {
		if err == nil {
			err = stage(list)
		}
	}
	if err != nil {
		return fmt.Errorf("check failed for tazuna.yaml at %s: %w", file, err)
	}
	return nil
}

// expanded is the list that apply and destroy work on. Destroy checks nothing else.
func expanded(file, environment string) ([]manifest, error) {
	doc, base, err := load(file, environment)
	if err != nil {
		return nil, err
	}
	list, err := expand(doc.Spec.Manifests, base, environment)
	if err != nil {
		return nil, err
	}
	doc.Spec.Manifests = list
	if err := doc.validate(base); err != nil {
		return nil, fmt.Errorf("validation failed after include expansion: %w", err)
	}
	return list, nil
}

func apply(file, environment string) error {
	list, err := expanded(file, environment)
	if err != nil {
		return err
	}
	ordered := false
	for _, m := range list {
		ordered = ordered || len(m.DependsOn) > 0
	}
	if err := nameErrors(list); err != nil && ordered {
		return fmt.Errorf("manifest name validation failed (run 'tazuna check' to see details,"+
			" or 'tazuna check --fix' to auto-fix): %w", err)
	}
	if !ordered {
		return nil
	}
	if err := referenceErrors(list); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		// For an unknown manifest, apply does not name the manifest that refers to it.
		if at := strings.Index(first, "dependsOn references"); at > 0 {
			first = first[at:]
		}
		return fmt.Errorf("failed to resolve manifest dependency order: %s", first)
	}
	if cycleError(list) != nil {
		return errors.New("failed to resolve manifest dependency order: circular dependency detected")
	}
	return nil
}

// expand replaces each group by the manifests of its files, which are not
// validated here.
func expand(list []manifest, base, environment string) ([]manifest, error) {
	var out []manifest
	for _, m := range list {
		if len(m.Includes) == 0 {
			out = append(out, m)
			continue
		}
		for _, include := range m.Includes {
			path := filepath.Join(base, include.Path)
			doc, err := read(path, path, environment)
			var pathErr *fs.PathError
			var rendering templateError
			switch {
			case errors.As(err, &rendering):
				return nil, err
			case errors.As(err, &pathErr):
				return nil, fmt.Errorf("failed to open include file: %s: %w", path, err)
			case err != nil:
				return nil, fmt.Errorf("failed to parse include file: %s: %w", path, err)
			}
			for _, inner := range doc.Spec.Manifests {
				if len(inner.Includes) > 0 {
					return nil, fmt.Errorf("nested includes are not allowed in include file: %s", path)
				}
			}
			out = append(out, doc.Spec.Manifests...)
		}
	}
	return out, nil
}
