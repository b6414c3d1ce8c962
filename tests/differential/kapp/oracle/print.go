package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"github.com/cppforlife/go-cli-ui/ui"
	cmdapp "github.com/vmware-tanzu/carvel-kapp/pkg/kapp/cmd/app"
	cmdcore "github.com/vmware-tanzu/carvel-kapp/pkg/kapp/cmd/core"
	"github.com/vmware-tanzu/carvel-kapp/pkg/kapp/logger"
	"github.com/vmware-tanzu/carvel-kapp/pkg/kapp/resources"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/dynamic"
	fakedynamic "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes"
	fakekubernetes "k8s.io/client-go/kubernetes/fake"
)

// cluster answers kapp's commands from memory.
type cluster struct {
	core    kubernetes.Interface
	dynamic dynamic.Interface
}

func (c cluster) DynamicClient(cmdcore.DynamicClientOpts) (dynamic.Interface, error) {
	return c.dynamic, nil
}
func (c cluster) CoreClient() (kubernetes.Interface, error) { return c.core, nil }
func (c cluster) RESTMapper() (meta.RESTMapper, error)      { return nil, nil }
func (c cluster) ConfigureWarnings(bool)                    {}

// appLabel is the label of the one app.
const appLabel = "kapp.k14s.io/app=1"

// applied is a cluster on which kapp created some resources, and controllers created their objects.
func applied(saved []resources.Resource, given map[string]bool) (cluster, error) {
	var objects []map[string]interface{}
	for i, r := range saved {
		r = r.DeepCopy()
		// The annotation is written before the cluster gives the name.
		nameless := r.DeepCopy()
		if u := (unstructured.Unstructured{Object: nameless.UnstructuredObject()}); u.GetGenerateName() != "" {
			u.SetName("")
		}
		if err := resources.NewIdentityAnnotation(nameless).AddMod().Apply(r); err != nil {
			return cluster{}, err
		}
		objects = append(objects, touched(r.DeepCopyRaw()))
		objects = append(objects, children(r.DeepCopyRaw(), i)...)
	}
	kinds := map[schema.GroupVersion][]metav1.APIResource{}
	lists := map[schema.GroupVersionResource]string{}
	var all []runtime.Object
	for _, object := range objects {
		u := &unstructured.Unstructured{Object: object}
		all = append(all, u)
		gvk := u.GroupVersionKind()
		gvr := gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s")
		if _, known := lists[gvr]; known {
			continue
		}
		lists[gvr] = gvk.Kind + "List"
		namespaced := u.GetNamespace() != ""
		if is, found := given[u.GetAPIVersion()+" "+u.GetKind()]; found {
			namespaced = is
		}
		kinds[gvk.GroupVersion()] = append(kinds[gvk.GroupVersion()], metav1.APIResource{
			Name: gvr.Resource, Kind: gvk.Kind, Namespaced: namespaced, Verbs: metav1.Verbs{"list", "get", "delete"},
		})
	}
	core := fakekubernetes.NewSimpleClientset()
	discovery := core.Discovery().(*fakediscovery.FakeDiscovery)
	for gv, list := range kinds {
		discovery.Resources = append(discovery.Resources, &metav1.APIResourceList{
			GroupVersion: gv.String(), APIResources: list,
		})
	}
	scheme := runtime.NewScheme()
	client := fakedynamic.NewSimpleDynamicClientWithCustomListKinds(scheme, lists)
	for _, object := range all {
		u := object.(*unstructured.Unstructured)
		gvk := u.GroupVersionKind()
		gvr := gvk.GroupVersion().WithResource(strings.ToLower(gvk.Kind) + "s")
		if err := client.Tracker().Create(gvr, u, u.GetNamespace()); err != nil {
			return cluster{}, err
		}
	}
	return cluster{core, client}, nil
}

// completed is an object with what a cluster adds to it.
func completed(r resources.Resource, number int) resources.Resource {
	object := r.DeepCopyRaw()
	u := unstructured.Unstructured{Object: object}
	if u.GetAnnotations() == nil {
		// kapp's own annotation was there, and is removed again.
		u.SetAnnotations(map[string]string{})
	}
	if u.GetName() == "" {
		u.SetName(u.GetGenerateName() + "x7k2p")
	}
	u.SetUID(uid(number, 0))
	u.SetResourceVersion(fmt.Sprint(1000 + number))
	u.SetGeneration(1)
	u.SetCreationTimestamp(metav1.Now())
	u.SetManagedFields([]metav1.ManagedFieldsEntry{{
		Manager: "kapp", Operation: "Update", APIVersion: u.GetAPIVersion(), FieldsType: "FieldsV1",
		FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:spec":{}}`)},
	}})
	spec, _ := object["spec"].(map[string]interface{})
	add := func(key string, value interface{}) {
		if _, found := spec[key]; !found && spec != nil {
			spec[key] = value
		}
	}
	switch u.GetAPIVersion() + " " + u.GetKind() {
	case "apps/v1 Deployment":
		add("revisionHistoryLimit", int64(10))
		add("strategy", map[string]interface{}{"type": "RollingUpdate"})
	case "v1 Service":
		add("clusterIPs", []interface{}{"10.96.0.7"})
		add("type", "ClusterIP")
	case "v1 Namespace":
		if spec == nil {
			object["spec"] = map[string]interface{}{}
			spec, _ = object["spec"].(map[string]interface{})
		}
		add("finalizers", []interface{}{"kubernetes"})
	case "batch/v1 Job":
		containers, _, _ := unstructured.NestedSlice(object, "spec", "template", "spec", "containers")
		for _, each := range containers {
			container, _ := each.(map[string]interface{})
			limits, found, _ := unstructured.NestedMap(container, "resources", "limits")
			// The server normalizes quantities.
			if found && limits["cpu"] == "1000m" {
				_ = unstructured.SetNestedField(container, "1", "resources", "limits", "cpu")
				_ = unstructured.SetNestedSlice(object, containers, "spec", "template", "spec", "containers")
			}
		}
	case "v1 Secret":
		if texts, found, _ := unstructured.NestedStringMap(object, "stringData"); found {
			data := map[string]interface{}{}
			for key, text := range texts {
				data[key] = base64.StdEncoding.EncodeToString([]byte(text))
			}
			object["data"] = data
			delete(object, "stringData")
		}
	}
	return resources.NewResourceUnstructured(u, resources.ResourceType{})
}

// touched is an object after controllers have changed it without kapp.
func touched(object map[string]interface{}) map[string]interface{} {
	u := unstructured.Unstructured{Object: object}
	spec, _ := object["spec"].(map[string]interface{})
	switch u.GetAPIVersion() + " " + u.GetKind() {
	case "apps/v1 Deployment":
		annotations := u.GetAnnotations()
		annotations["deployment.kubernetes.io/revision"] = "1"
		u.SetAnnotations(annotations)
		object["status"] = map[string]interface{}{"observedGeneration": int64(1), "replicas": int64(1)}
	case "v1 Service":
		if _, found := spec["clusterIP"]; !found && spec != nil {
			spec["clusterIP"] = "10.96.0.7"
		}
		object["status"] = map[string]interface{}{"loadBalancer": map[string]interface{}{}}
	case "v1 ServiceAccount":
		list, _ := object["secrets"].([]interface{})
		object["secrets"] = append(list, map[string]interface{}{"name": u.GetName() + "-token-x7k2p"})
	case "v1 Namespace":
		object["status"] = map[string]interface{}{"phase": "Active"}
	case "v1 Pod":
		object["status"] = map[string]interface{}{"phase": "Running"}
	}
	return object
}

func uid(number, child int) types.UID {
	return types.UID(fmt.Sprintf("00000000-0000-4000-8000-%06d%06d", number, child))
}

// children are the objects that controllers create for one of kapp's.
func children(object map[string]interface{}, number int) []map[string]interface{} {
	owner := unstructured.Unstructured{Object: object}
	count := 0
	child := func(version, kind, name string, labels, annotations map[string]string, owned bool) map[string]interface{} {
		count++
		u := unstructured.Unstructured{Object: map[string]interface{}{}}
		u.SetAPIVersion(version)
		u.SetKind(kind)
		u.SetName(name)
		u.SetNamespace(owner.GetNamespace())
		u.SetUID(uid(number, count))
		u.SetResourceVersion("5")
		u.SetCreationTimestamp(metav1.Now())
		u.SetLabels(labels)
		u.SetAnnotations(annotations)
		if owned {
			u.SetOwnerReferences([]metav1.OwnerReference{{
				APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: uid(number, 0),
			}})
		}
		return u.Object
	}
	name := owner.GetName()
	switch owner.GetAPIVersion() + " " + owner.GetKind() {
	case "apps/v1 Deployment":
		template, _, _ := unstructured.NestedStringMap(object, "spec", "template", "metadata", "labels")
		return []map[string]interface{}{
			// The controller copies the annotations of the Deployment.
			child("apps/v1", "ReplicaSet", name+"-5d8f", template, owner.GetAnnotations(), true),
			child("v1", "Pod", name+"-5d8f-x2x4q", template, nil, true),
		}
	case "v1 Service":
		slice := map[string]string{"kubernetes.io/service-name": name}
		for key, value := range owner.GetLabels() {
			slice[key] = value
		}
		touched := map[string]string{"endpoints.kubernetes.io/last-change-trigger-time": "2024-01-01T00:00:00Z"}
		return []map[string]interface{}{
			child("v1", "Endpoints", name, owner.GetLabels(), touched, false),
			child("discovery.k8s.io/v1", "EndpointSlice", name+"-abcde", slice, touched, true),
		}
	}
	return nil
}

// printed is the output of `kapp inspect --raw` for the app.
func (c cluster) printed() (string, error) {
	var out strings.Builder
	writer := ui.NewNonTTYUI(ui.NewWriterUI(&out, io.Discard, ui.NewNoopLogger()))
	options := cmdapp.NewInspectOptions(writer, c, logger.NewNoopLogger())
	options.AppFlags.Name = "label:" + appLabel
	options.AppFlags.NamespaceFlags.Name = "default"
	options.Raw = true
	err := options.Run()
	return out.String(), err
}

// listed are the resources of the app as a deploy finds them.
func (c cluster) listed() ([]resources.Resource, error) {
	types := resources.NewResourceTypesImpl(c.core, resources.ResourceTypesImplOpts{})
	noop := logger.NewNoopLogger()
	all := resources.NewResourcesImpl(types, c.core, c.dynamic, c.dynamic, resources.ResourcesImplOpts{}, noop)
	selector, err := labels.Parse(appLabel)
	if err != nil {
		return nil, err
	}
	identified := resources.NewIdentifiedResources(c.core, types, all, nil, noop)
	return identified.List(selector, nil, resources.IdentifiedResourcesListOpts{})
}
