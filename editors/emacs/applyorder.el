;;; applyorder.el --- applyorder for Eglot (Emacs 29 and later) -*- lexical-binding: t -*-
;; Load this file from your init file; the server is `applyorder' on the PATH.

(require 'eglot)

(add-to-list 'eglot-server-programs
             '((yaml-mode yaml-ts-mode terraform-mode hcl-mode) . ("applyorder" "server")))

(dolist (hook '(yaml-mode-hook yaml-ts-mode-hook terraform-mode-hook hcl-mode-hook))
  (add-hook hook #'eglot-ensure))

(provide 'applyorder)
;;; applyorder.el ends here
