/** Files of evidence of one case, and the bytes of one of them: scans, not archives. */
export const EVIDENCE_FILES_MAX = 20;

export const EVIDENCE_BYTES_MAX = 4_194_304;
