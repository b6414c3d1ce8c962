//! The fields of a `tazuna.yaml` (Tazuna G5, schema): their names, their types, their purpose. Decoding,
//! unknown fields and completion all read this one table.

use std::borrow::Cow;

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ty {
    /// A string; numbers and booleans are converted to strings.
    Str,
    /// A boolean.
    Bool,
    /// An integer.
    Int,
    /// A list of strings.
    Strs,
    /// A mapping of strings.
    StrMap,
    /// A mapping with arbitrary content.
    Any,
    /// An object.
    Obj(&'static Table),
    /// A list of objects.
    Objs(&'static Table),
    /// A mapping of objects.
    ObjMap(&'static Table),
}

/// One field.
#[derive(Debug)]
pub(super) struct Field {
    /// Its name.
    pub(super) name: &'static str,
    /// Its type.
    pub(super) ty: Ty,
    /// Its purpose, in a few words.
    pub(super) doc: &'static str,
    /// The allowed values, if they are few.
    pub(super) words: &'static [&'static str],
    /// Its Go type if that has its own name, for the engine's own messages.
    named: Option<&'static str>,
}

impl Field {
    const fn named(mut self, go: &'static str) -> Self {
        self.named = Some(go);
        self
    }

    /// Its Go type.
    pub(super) fn go(&self) -> Cow<'static, str> {
        let of = |prefix: &str, table: &Table| Cow::Owned(format!("{prefix}v1.{}", table.go));
        match (self.named, self.ty) {
            (Some(name), _) => Cow::Owned(format!("v1.{name}")),
            (None, Ty::Str) => Cow::Borrowed("string"),
            (None, Ty::Bool) => Cow::Borrowed("bool"),
            (None, Ty::Int) => Cow::Borrowed("int"),
            (None, Ty::Strs) => Cow::Borrowed("[]string"),
            (None, Ty::StrMap) => Cow::Borrowed("map[string]string"),
            (None, Ty::Any) => Cow::Borrowed("struct {}"),
            (None, Ty::Obj(table)) => of("", table),
            (None, Ty::Objs(table)) => of("[]", table),
            (None, Ty::ObjMap(table)) => of("map[string]", table),
        }
    }

    /// Whether Tazuna distinguishes null from a missing field, so that null undoes what another spelling set.
    pub(super) fn is_pointer(&self) -> bool {
        const POINTERS: [&str; 12] = [
            "kustomize",
            "genesisSecret",
            "helmfile",
            "oras",
            "auth",
            "waitUntil",
            "existNonExist",
            "envfile",
            "onepassword",
            "op",
            "env",
            "static",
        ];
        POINTERS.contains(&self.name)
    }
}

/// The fields of one kind of object.
#[derive(Debug)]
pub(super) struct Table {
    /// What the object is called in messages: `a manifest`.
    pub(super) title: &'static str,
    /// Its Go type, for the engine's own messages.
    pub(super) go: &'static str,
    /// Its fields.
    pub(super) fields: &'static [Field],
}

impl Table {
    /// The field of a key: case-insensitively, as Go's JSON decoder compares.
    pub(super) fn field(&self, key: &str, exact: bool) -> Option<&'static Field> {
        let same = self.fields.iter().find(|f| f.name == key);
        if same.is_some() || exact {
            return same;
        }
        self.fields.iter().find(|f| folds_to(key, f.name))
    }
}

/// Whether a key equals an ASCII field name under Unicode's simple folding.
fn folds_to(key: &str, name: &str) -> bool {
    let mut name = name.bytes();
    for c in key.chars() {
        let folded = match c {
            '\u{17f}' => b's',
            '\u{212a}' => b'k',
            _ => match u8::try_from(c) {
                Ok(b) => b.to_ascii_lowercase(),
                Err(_) => return false,
            },
        };
        if name.next().map(|b| b.to_ascii_lowercase()) != Some(folded) {
            return false;
        }
    }
    name.next().is_none()
}

/// A field that any value of its type fits.
pub(super) const fn field(name: &'static str, ty: Ty, doc: &'static str) -> Field {
    Field {
        name,
        ty,
        doc,
        words: &[],
        named: None,
    }
}

const fn words(name: &'static str, doc: &'static str, words: &'static [&'static str]) -> Field {
    Field {
        name,
        ty: Ty::Str,
        doc,
        words,
        named: None,
    }
}

/// The known manifest types.
pub(super) const TYPES: [&str; 4] = ["kustomize", "helmfile", "genesissecret", "oras"];
/// The types of test plugins.
pub(super) const TEST_TYPES: [&str; 2] = ["WaitUntil", "ExistNonExist"];
/// The required value of `apiVersion`, if it is given.
pub(super) const API_VERSION: &str = "tazuna.pepabo.com/v1";
/// The required value of `kind`, if it is given.
pub(super) const KIND: &str = "Tazuna";

/// The root of a file.
pub(super) static ROOT: Table = Table {
    title: "the file",
    go: "Tazuna",
    fields: &[
        words("apiVersion", "always `tazuna.pepabo.com/v1`", &[API_VERSION]),
        words("kind", "always `Tazuna`", &[KIND]),
        field("spec", Ty::Obj(&SPEC), "what is applied, and where"),
    ],
};

/// `spec`.
pub(super) static SPEC: Table = Table {
    title: "`spec`",
    go: "TazunaSpec",
    fields: &[
        field(
            "minimumSupportedTazunaVersion",
            Ty::Str,
            "the oldest Tazuna that may read this file",
        ),
        field(
            "context_matches",
            Ty::Strs,
            "patterns that the current context must match",
        ),
        words(
            "context_match_mode",
            "whether one pattern or all must match",
            &["or", "and"],
        )
        .named("ContextMatchMode"),
        field(
            "environments",
            Ty::ObjMap(&ENVIRONMENT),
            "the names `-e` may give, with their context patterns",
        ),
        field("manifests", Ty::Objs(&MANIFEST), "what is applied"),
        field("tests", Ty::Objs(&TEST), "tests after all manifests"),
        field("providers", Ty::Objs(&PROVIDER), "where secrets come from"),
    ],
};

/// An entry of `spec.environments`.
pub(super) static ENVIRONMENT: Table = Table {
    title: "an environment",
    go: "EnvironmentSpec",
    fields: &[
        field("context_matches", Ty::Strs, "overrides `spec.context_matches`"),
        words(
            "context_match_mode",
            "whether one pattern or all must match",
            &["or", "and"],
        )
        .named("ContextMatchMode"),
    ],
};

/// An entry of `spec.manifests`.
pub(super) static MANIFEST: Table = Table {
    title: "a manifest",
    go: "Manifest",
    fields: &[
        field("name", Ty::Str, "the name others depend on"),
        field("description", Ty::Str, "text for the log"),
        field("includes", Ty::Objs(&INCLUDE), "manifests inserted from files"),
        field("path", Ty::Str, "path relative to the root file"),
        words("type", "what applies it", &TYPES).named("ManifestType"),
        field("tags", Ty::Strs, "tags that `--tags` selects by"),
        field(
            "dependsOn",
            Ty::Strs,
            "names of manifests that are applied before",
        ),
        field("kustomize", Ty::Obj(&KUSTOMIZE), "settings of type `kustomize`"),
        field("genesisSecret", Ty::Any, "settings of type `genesissecret`").named("ManifestGenesisSecret"),
        field("helmfile", Ty::Obj(&HELMFILE), "settings of type `helmfile`"),
        field("oras", Ty::Obj(&ORAS), "settings of type `oras`"),
        field("tests", Ty::Objs(&TEST), "tests right after this manifest"),
    ],
};

/// An entry of `includes`.
pub(super) static INCLUDE: Table = Table {
    title: "an include",
    go: "IncludeFile",
    fields: &[field("path", Ty::Str, "file relative to the root file")],
};

static KUSTOMIZE: Table = Table {
    title: "`kustomize`",
    go: "ManifestKustomize",
    fields: &[field("defaultNamespace", Ty::Str, "default namespace")],
};

/// `helmfile` of a manifest or of `oras.delegate`.
pub(super) static HELMFILE: Table = Table {
    title: "`helmfile`",
    go: "ManifestHelmfile",
    fields: &[
        field("includeCRDs", Ty::Bool, "whether CRDs are rendered too"),
        field("vars", Ty::ObjMap(&VAR), "values for the helmfile"),
        field("defaultNamespace", Ty::Str, "default namespace"),
        field("extraValueFiles", Ty::Strs, "additional value files"),
        field("wait", Ty::Bool, "whether to wait until it is ready"),
        field("timeoutSeconds", Ty::Int, "how long to wait"),
        field("kubeVersion", Ty::Str, "the version to render for"),
    ],
};

static VAR: Table = Table {
    title: "a helmfile var",
    go: "HelmFileVar",
    fields: &[
        words("from", "where the value comes from", &["env", "static", "op"]),
        field("env", Ty::Str, "the environment variable"),
        field("static", Ty::Str, "the value"),
        field("staticSlice", Ty::Strs, "the value as a list"),
        field("staticMap", Ty::StrMap, "the value as a mapping"),
        field("op", Ty::Obj(&OP), "the 1Password field"),
    ],
};

static OP: Table = Table {
    title: "`op`",
    go: "OnePasswordVaultSelector",
    fields: &[
        words("key", "how the field is found", &["id", "label"]),
        field("vault", Ty::Str, "the vault"),
        field("item", Ty::Str, "the item"),
        field("field", Ty::Str, "the field"),
    ],
};

static ORAS: Table = Table {
    title: "`oras`",
    go: "ManifestORAS",
    fields: &[
        field("reference", Ty::Str, "the artifact"),
        field("target", Ty::Str, "the path inside the artifact"),
        field("plainHTTP", Ty::Bool, "whether to use HTTP"),
        field("insecureSkipVerify", Ty::Bool, "whether to trust any certificate"),
        field("auth", Ty::Obj(&AUTH), "how to log in"),
        field("delegate", Ty::Obj(&DELEGATE), "what applies the artifact"),
    ],
};

static AUTH: Table = Table {
    title: "`auth`",
    go: "ORASAuth",
    fields: &[
        field("username", Ty::Str, "the user"),
        field("password", Ty::Str, "the password"),
    ],
};

static DELEGATE: Table = Table {
    title: "`delegate`",
    go: "ORASDelegate",
    fields: &[
        words("type", "what applies the artifact", &["helmfile", "kustomize"]).named("ORASDelegateType"),
        field("helmfile", Ty::Obj(&HELMFILE), "settings of type `helmfile`"),
        field("kustomize", Ty::Obj(&KUSTOMIZE), "settings of type `kustomize`"),
    ],
};

static TEST: Table = Table {
    title: "a test",
    go: "TestPluginSpec",
    fields: &[
        words("type", "what it tests", &TEST_TYPES).named("TestPluginType"),
        field(
            "minConsecutiveSuccessCount",
            Ty::Int,
            "consecutive successes required",
        ),
        field(
            "minConsecutiveFailureCount",
            Ty::Int,
            "consecutive failures allowed",
        ),
        field("timeoutSeconds", Ty::Int, "how long to try"),
        field("intervalSeconds", Ty::Int, "how long between two attempts"),
        field("waitUntil", Ty::Obj(&WAIT_UNTIL), "settings of type `WaitUntil`"),
        field(
            "existNonExist",
            Ty::Obj(&EXIST),
            "settings of type `ExistNonExist`",
        ),
    ],
};

static WAIT_UNTIL: Table = Table {
    title: "`waitUntil`",
    go: "WaitUntilArgs",
    fields: &[
        field("resource", Ty::Obj(&RESOURCE), "the kind of resource"),
        field("namespace", Ty::Str, "its namespace"),
        field("name", Ty::Str, "its name"),
        field("condition", Ty::Str, "the condition"),
    ],
};

static EXIST: Table = Table {
    title: "`existNonExist`",
    go: "ExistNonExistArgs",
    fields: &[
        field("resource", Ty::Obj(&RESOURCE), "the kind of resource"),
        field("namespace", Ty::Str, "its namespace"),
        field("name", Ty::Str, "its name"),
        field("shouldExist", Ty::Bool, "whether it should exist"),
    ],
};

static RESOURCE: Table = Table {
    title: "`resource`",
    go: "WaitUntilResource",
    fields: &[
        field("apiVersion", Ty::Str, "its API version"),
        field("kind", Ty::Str, "its kind"),
    ],
};

pub(super) static PROVIDER: Table = Table {
    title: "a provider",
    go: "ProviderConfig",
    fields: &[
        field("name", Ty::Str, "its name"),
        words("type", "what it is", &["envfile"]).named("ProviderType"),
        field("envfile", Ty::Obj(&ENVFILE), "settings of type `envfile`"),
        field("onepassword", Ty::Any, "settings of type `onepassword`").named("OnePasswordProviderConfig"),
    ],
};

pub(super) static ENVFILE: Table = Table {
    title: "`envfile`",
    go: "EnvFileProviderConfig",
    fields: &[field("path", Ty::Str, "the file")],
};

/// Every table, to find where a field belongs.
pub(super) static TABLES: [&Table; 8] = [
    &ROOT, &SPEC, &MANIFEST, &HELMFILE, &ORAS, &TEST, &PROVIDER, &INCLUDE,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_match_fields_without_regard_to_case() {
        for key in ["spec", "Spec", "SPEC", "ſpec"] {
            assert_eq!(ROOT.field(key, false).map(|f| f.name), Some("spec"), "{key}");
        }
        assert!(ROOT.field("Spec", true).is_none());
        assert!(ROOT.field("spe", false).is_none() && ROOT.field("specs", false).is_none());
        assert_eq!(
            MANIFEST.field("\u{212a}ustomize", false).map(|f| f.name),
            Some("kustomize")
        );
    }
}
