package main

import (
	"bytes"
	"fmt"
	"os"
	"text/template"

	"sigs.k8s.io/yaml"
)

// The structs are flat, without embedding, as Tazuna's are: the conversion to JSON uses them to find out which scalars
// to write as strings, and does not look into embedded structs.

type document struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Spec       struct {
		MinimumVersion   string                 `json:"minimumSupportedTazunaVersion"`
		ContextMatches   []string               `json:"context_matches"`
		ContextMatchMode string                 `json:"context_match_mode"`
		Environments     map[string]environment `json:"environments"`
		Manifests        []manifest             `json:"manifests"`
		Tests            []test                 `json:"tests"`
		Providers        []provider             `json:"providers"`
	} `json:"spec"`
}

type environment struct {
	ContextMatches   []string `json:"context_matches"`
	ContextMatchMode string   `json:"context_match_mode"`
}

type manifest struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Path        string   `json:"path"`
	Type        string   `json:"type"`
	Tags        []string `json:"tags"`
	DependsOn   []string `json:"dependsOn"`
	Includes    []struct {
		Path string `json:"path"`
	} `json:"includes"`
	Kustomize     *namespace `json:"kustomize"`
	GenesisSecret *struct{}  `json:"genesisSecret"`
	Helmfile      *helmfile  `json:"helmfile"`
	ORAS          *oras      `json:"oras"`
	Tests         []test     `json:"tests"`
}

type namespace struct {
	DefaultNamespace string `json:"defaultNamespace"`
}

type helmfile struct {
	IncludeCRDs      bool                `json:"includeCRDs"`
	Vars             map[string]variable `json:"vars"`
	DefaultNamespace string              `json:"defaultNamespace"`
	ExtraValueFiles  []string            `json:"extraValueFiles"`
	Wait             bool                `json:"wait"`
	TimeoutSeconds   int                 `json:"timeoutSeconds"`
	KubeVersion      string              `json:"kubeVersion"`
}

type variable struct {
	From        string            `json:"from"`
	Env         *string           `json:"env"`
	Static      *string           `json:"static"`
	StaticSlice []string          `json:"staticSlice"`
	StaticMap   map[string]string `json:"staticMap"`
	Op          *struct {
		Key   string `json:"key"`
		Vault string `json:"vault"`
		Item  string `json:"item"`
		Field string `json:"field"`
	} `json:"op"`
}

type oras struct {
	Reference          string `json:"reference"`
	Target             string `json:"target"`
	PlainHTTP          bool   `json:"plainHTTP"`
	InsecureSkipVerify bool   `json:"insecureSkipVerify"`
	Auth               *struct {
		Username string `json:"username"`
		Password string `json:"password"`
	} `json:"auth"`
	Delegate struct {
		Type      string     `json:"type"`
		Helmfile  *helmfile  `json:"helmfile"`
		Kustomize *namespace `json:"kustomize"`
	} `json:"delegate"`
}

type provider struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Envfile *struct {
		Path string `json:"path"`
	} `json:"envfile"`
	OnePassword *struct{} `json:"onepassword"`
}

type resource struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

type test struct {
	Type                       string `json:"type"`
	MinConsecutiveSuccessCount int    `json:"minConsecutiveSuccessCount"`
	MinConsecutiveFailureCount int    `json:"minConsecutiveFailureCount"`
	TimeoutSeconds             int    `json:"timeoutSeconds"`
	IntervalSeconds            int    `json:"intervalSeconds"`
	WaitUntil                  *struct {
		Resource  resource `json:"resource"`
		Namespace string   `json:"namespace"`
		Name      string   `json:"name"`
		Condition string   `json:"condition"`
	} `json:"waitUntil"`
	ExistNonExist *struct {
		Resource    resource `json:"resource"`
		Namespace   string   `json:"namespace"`
		Name        string   `json:"name"`
		ShouldExist bool     `json:"shouldExist"`
	} `json:"existNonExist"`
}

// secretFile is the file of a genesissecret manifest. Its other fields matter as well: if one of them does not decode,
// Tazuna reports nothing about the file.
type secretFile struct {
	Spec struct {
		Provider string            `json:"provider"`
		Static   map[string]string `json:"static"`
		Secrets  []struct {
			URI         string `json:"uri"`
			PreferLabel bool   `json:"preferLabel"`
			Items       map[string]struct {
				MapTo string `json:"mapTo"`
			} `json:"items"`
		} `json:"secrets"`
		Outputs []struct {
			Stdout           *struct{} `json:"stdout"`
			KubernetesSecret *struct {
				Context     string            `json:"context"`
				Namespace   string            `json:"namespace"`
				Name        string            `json:"name"`
				Labels      map[string]string `json:"labels"`
				Annotations map[string]string `json:"annotations"`
				Type        string            `json:"type"`
			} `json:"kubernetesSecret"`
		} `json:"outputs"`
	} `json:"spec"`
}

// templateError distinguishes a template that fails from a file that does not decode.
type templateError struct {
	error
	stage string
}

func (e templateError) Unwrap() error { return e.error }

// Data is what a template sees.
type Data struct{ Environment string }

// render runs a text through its template; name is what an error calls it.
func render(raw []byte, name, environment string) ([]byte, error) {
	parsed, err := template.New(name).Option("missingkey=error").Parse(string(raw))
	if err != nil {
		return nil, templateError{fmt.Errorf("failed to parse %s as a Go template: %w", name, err), "parse"}
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, Data{environment}); err != nil {
		return nil, templateError{fmt.Errorf("failed to render %s as a Go template: %w", name, err), "render"}
	}
	return out.Bytes(), nil
}

// read gives the document at path after rendering; name is what a template
// error calls it.
func read(path, name, environment string) (document, error) {
	var doc document
	raw, err := os.ReadFile(path)
	if err != nil {
		return doc, err
	}
	text, err := render(raw, name, environment)
	if err != nil {
		return doc, err
	}
	return doc, yaml.Unmarshal(text, &doc)
}
