import type { Generated } from "kysely";

export type UploadTable = {
  import_id: string;
  account_id: string;
  mapping: string;
  file_name: string;
  /** True if its lines count only after a person confirms them, even if one person is enough. */
  review: Generated<boolean>;
  uploaded_by: string;
  bytes: Generated<bigint>;
  touched_at: Generated<Date>;
  sealed_at: Date | null;
  tries: Generated<number>;
};

export type UploadPartTable = { import_id: string; part: number; bytes: number; content: Buffer };
