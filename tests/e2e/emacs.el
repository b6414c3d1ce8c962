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

;; Emacs has no YAML mode without a package or a grammar; the set-up only needs its name.
(define-derived-mode yaml-mode text-mode "YAML")
(add-to-list 'auto-mode-alist '("\\.yaml\\'" . yaml-mode))
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

(defun open (file)
  (let ((buffer (find-file-noselect (concat workspace file))))
    (set-buffer buffer)
    ;; `eglot-ensure' waits for a command loop, which --batch does not have.
    (unless (eglot-current-server)
      (apply #'eglot (eglot--guess-contact)))
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
      (eglot-shutdown server)
      (check "clean shutdown" (not (jsonrpc-running-p server))))
  (error (check "no Lisp error" nil (error-message-string err))))
(princ (format "%d passed, %d failed\n" passed failed))
(kill-emacs (if (= failed 0) 0 1))
