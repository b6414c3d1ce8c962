;;; applyorder.el --- applyorder for Eglot (Emacs 29 and later) -*- lexical-binding: t -*-
;; Load this file from your init file; the server is `applyorder' on the PATH.

(require 'eglot)

(add-to-list 'eglot-server-programs
             '((yaml-mode yaml-ts-mode terraform-mode hcl-mode) . ("applyorder" "server")))

(dolist (hook '(yaml-mode-hook yaml-ts-mode-hook terraform-mode-hook hcl-mode-hook))
  (add-hook hook #'eglot-ensure))

;; Terramate's files are HCL.
(add-to-list 'auto-mode-alist '("\\.tm\\(?:\\.hcl\\)?\\'" . hcl-mode))

;; `.tofu` files are Terraform, unless another mode is set for them.
(add-to-list 'auto-mode-alist '("\\.tofu\\'" . terraform-mode) t)

;; Among TOML files, only the configuration is handled.
(defun applyorder-ensure-configuration ()
  "Start the server in the configuration file of applyorder."
  (when (and buffer-file-name
             (member (file-name-nondirectory buffer-file-name) '("applyorder.toml" ".applyorder.toml")))
    (setq-local eglot-server-programs (cons (list major-mode "applyorder" "server") eglot-server-programs))
    (eglot-ensure)))

(dolist (hook '(conf-toml-mode-hook toml-ts-mode-hook))
  (add-hook hook #'applyorder-ensure-configuration))

(provide 'applyorder)
;;; applyorder.el ends here
