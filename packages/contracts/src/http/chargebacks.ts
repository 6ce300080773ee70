/**
 * The most files of evidence of one case, and the most bytes of one file: enough for scans, not for archives.
 */
export const EVIDENCE_FILES_MAX = 20;

export const EVIDENCE_BYTES_MAX = 4_194_304;
