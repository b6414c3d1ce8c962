# The formula of a tap; it builds from the tag. `brew install --build-from-source ./packaging/homebrew/applyorder.rb`
class Applyorder < Formula
  desc "Language server and lint tool for the order in which infrastructure is applied"
  homepage "https://github.com/applyorder/applyorder"
  url "https://github.com/applyorder/applyorder.git", tag: "v0.1.0"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://github.com/applyorder/applyorder.git", branch: "main"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"applyorder", "completions")
    system bin/"applyorder", "man", "--dir", man1
  end

  test do
    (testpath/"tazuna.yaml").write <<~YAML
      spec:
        manifests:
          - {name: a, type: kustomize, path: a, dependsOn: [a]}
    YAML
    assert_match "self-dependency", shell_output("#{bin}/applyorder lint", 1)
  end
end
