"""A replication bundle: one zip from which a study can be had again, with the same report.

It holds the rows of the study as JSON Lines, a file for each model, the report of the usual slice,
and a manifest with the versions and the SHA-256 of every file. Whoever took part is known by a
pseudonym alone: no identity, no session. Foreign keys are the ids of the installation that wrote
the bundle; an import gives every row a new one.
"""

from evaluation.bundles.reading import check_bundle, read_bundle, read_report
from evaluation.bundles.writing import write_bundle

__all__ = ["check_bundle", "read_bundle", "read_report", "write_bundle"]
