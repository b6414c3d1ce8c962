;;; emacs.el --- checks `applyorder server' in Emacs with Eglot -*- lexical-binding: t -*-
;;   WORKSPACE=DIR emacs -Q --batch -l tests/e2e/emacs.el
;; WORKSPACE holds copies of examples/tazuna/broken and shop; `applyorder' is on the PATH.
;; Ends with "N passed, N failed" and exits non-zero if a check failed.
(require 'cl-lib)
(require 'flymake)
(require 'project)
(require 'eglot)
(setq eglot-sync-connect 10 eglot-autoshutdown nil eglot-confirm-server-edits nil
      create-lockfiles nil make-backup-files nil
      native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)

;; Emacs has no YAML mode without a package or a grammar; the setup only needs its name.
(define-derived-mode yaml-mode text-mode "YAML")
(add-to-list 'auto-mode-alist '("\\.yaml\\'" . yaml-mode))
(define-derived-mode hcl-mode text-mode "HCL")
(define-derived-mode terraform-mode hcl-mode "Terraform")
(add-to-list 'auto-mode-alist '("\\.tf\\'" . terraform-mode))
(load (expand-file-name "../../editors/emacs/applyorder.el" (file-name-directory load-file-name)))

(defvar workspace (file-name-as-directory (or (getenv "WORKSPACE") (error "set WORKSPACE"))))
(defvar passed 0)
(defvar failed 0)

(defun check (name ok &optional detail)
  (if ok (cl-incf passed) (cl-incf failed))
  (princ (format "%s %s%s\n" (if ok "ok  " "FAIL") name
                 (if detail (truncate-string-to-width (format ": %s" detail) 400) ""))))

(defun wait-for (predicate)
  (let ((end (+ (float-time) 10)) result)
    (while (and (not (setq result (funcall predicate))) (< (float-time) end))
      (accept-process-output nil 0.05))
    result))

(defun open (file &optional below)
  (let ((buffer (find-file-noselect (concat (or below workspace) file))))
    (set-buffer buffer)
    ;; `eglot-ensure' waits for a command loop, which --batch does not have.
    (unless (eglot-current-server)
      (apply #'eglot (eglot--guess-contact))
      (wait-for #'eglot-current-server))
    (unless flymake-mode (flymake-mode 1))
    buffer))

(defun codes ()
  "Codes of the findings in this buffer; --batch has no idle timer to ask for them."
  (flymake-start)
  (mapcar (lambda (d)
            (plist-get (alist-get 'eglot-lsp-diag (flymake-diagnostic-data d)) :code))
          (flymake-diagnostics)))

(defun point-at (text after)
  (goto-char (point-min))
  (search-forward after)
  (search-forward text)
  (goto-char (+ 2 (match-beginning 0))))

(defun hover ()
  (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
                                         (eglot--TextDocumentPositionParams) :timeout 10)
                        :contents)
             :value))

;; What engines.json expects of an example of each engine. Eglot shows no lenses: the server is queried directly.
(defvar engines (file-name-as-directory (or (getenv "ENGINES") (error "set ENGINES"))))

(defun cases ()
  (with-temp-buffer
    (insert-file-contents (expand-file-name "engines.json" (file-name-directory load-file-name)))
    (json-parse-buffer :object-type 'alist :array-type 'list)))

(defun point-in (place)
  (let-alist place
    (goto-char (point-min))
    (when .after (search-forward .after))
    (search-forward .at)
    (goto-char (/ (+ (match-beginning 0) (match-end 0)) 2))))

(defun check-engine (case)
  (let-alist case
    (let ((name (lambda (what) (concat .engine ": " what))))
      (open .finding.file engines)
      (point-in .finding)
      (let* ((rule .finding.rule)
             (here (lambda ()
                     (codes)
                     (member rule (mapcar (lambda (d) (plist-get (alist-get 'eglot-lsp-diag (flymake-diagnostic-data d)) :code))
                                          (flymake-diagnostics (point)))))))
        (check (funcall name "a finding where the mistake is") (wait-for here) (codes)))
      (open .hover.file engines)
      (point-in .hover)
      (let ((text (hover)))
        (check (funcall name "hover") (and text (string-match-p (regexp-quote .hover.says) (downcase text))) text))
      (open .definition.file engines)
      (point-in .definition)
      (let* ((found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))
             (place (and found (xref-item-location (car found)))))
        (check (funcall name "definition")
               (and place (string-suffix-p .definition.to (xref-location-group place)))
               found))
      (open .lens.file engines)
      (let ((lenses (jsonrpc-request (eglot-current-server) :textDocument/codeLens
                                     `(:textDocument ,(eglot--TextDocumentIdentifier)) :timeout 10)))
        (check (funcall name "lens")
               (cl-some (lambda (lens) (string-search .lens.says (plist-get (plist-get lens :command) :title))) lenses)
               lenses))
      (open .rename.file engines)
      (point-in .rename)
      (let* ((edit (jsonrpc-request (eglot-current-server) :textDocument/rename
                                    `(,@(eglot--TextDocumentPositionParams) :newName ,.rename.name) :timeout 10))
             (count (+ (cl-loop for (_ edits) on (plist-get edit :changes) by #'cddr sum (length edits))
                       (cl-loop for d across (or (plist-get edit :documentChanges) []) sum (length (plist-get d :edits))))))
        (check (funcall name "rename") (= count .rename.edits) edit)))))

(condition-case err
    (let (server)
      (open "shop/apps.yaml")
      (setq server (wait-for #'eglot-current-server))
      (check "connected" server (and server (plist-get (eglot--server-info server) :name)))
      (point-at "orders-db" "name: catalog")
      (let ((text (hover)))
        (check "hover says the layer" (and text (string-match-p "layer 4 of 6" (downcase text))) text))
      (let* ((found (xref-backend-definitions 'eglot (xref-backend-identifier-at-point 'eglot)))
             (place (and found (xref-item-location (car found)))))
        (check "definition leads to another file"
               (and place (string-suffix-p "shop/data.yaml" (xref-location-group place)))
               found))
      (open "broken/tazuna.yaml")
      (check "unknown dependency shown" (wait-for (lambda () (member "unknown-dependency" (codes)))) (codes))
      (goto-char (point-min))
      (search-forward "prometheus-operater")
      (replace-match "prometheus-operator")
      (eglot--signal-textDocument/didChange)
      (check "an edit that is not saved clears it"
             (and (buffer-modified-p) (wait-for (lambda () (not (member "unknown-dependency" (codes))))))
             (codes))
      (set-buffer-modified-p nil)
      (mapc #'check-engine (cases))
      (let ((server (open "terramate/shop/tools/stack.tm" engines)))
        (check "a .tm has findings" (wait-for (lambda () (member "unknown-dependency" (codes)))) (codes))
        (ignore server))
      (open "tofu/main.tofu" engines)
      (check "a .tofu is Terraform" (and (eq major-mode 'terraform-mode) (wait-for (lambda () (member "cycle" (codes)))))
             (list major-mode (codes)))
      (open "kapp/shop/applyorder.toml" engines)
      (point-at "files" "name")
      (check "the configuration is explained" (string-match-p "list of strings" (or (hover) "")) (hover))
      (set-buffer (find-file-noselect (concat workspace "broken/tazuna.yaml")))
      (eglot-shutdown server)
      (check "clean shutdown" (not (jsonrpc-running-p server))))
  (error (check "no Lisp error" nil (format "%s %s %s" (error-message-string err) (buffer-name) default-directory))))
(princ (format "%d passed, %d failed\n" passed failed))
(kill-emacs (if (= failed 0) 0 1))
