#!/usr/bin/env bash
# Installs ALEPlot, yaImpute and iml from CRAN into the personal R library ($R_LIBS_USER or R's
# default one). They are run as black boxes by the live tiers; nothing of them enters this project.
set -euo pipefail

Rscript - <<'R'
folder <- strsplit(Sys.getenv("R_LIBS_USER"), .Platform$path.sep, fixed = TRUE)[[1]][1]
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
.libPaths(c(folder, .libPaths()))
if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) chooseCRANmirror(ind = 1, local.only = TRUE)
wanted <- c("ALEPlot", "yaImpute", "iml")
missing <- wanted[!wanted %in% rownames(installed.packages())]
if (length(missing)) install.packages(missing, lib = folder)
still <- wanted[!wanted %in% rownames(installed.packages())]
if (length(still)) stop("not installed: ", paste(still, collapse = ", "))
R
