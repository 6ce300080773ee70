import type { CommandReply, OperatorContext, SettlementPreview } from "@holdfast/contracts";
import { FILE_BOUNDS } from "../import/import-leased-file.ts";
import { previewFile } from "../import/preview-file.ts";
import { partsOf } from "../import/read-uploads.ts";
import { gone, isWhole, type Sealed, type UploadDeps } from "./receive-upload.ts";

/**
 * Returns the result that importing the uploaded parts would have, and removes the parts. A repeated call
 * finds none.
 */
export async function previewUpload(
  { db, mappings, fileKeys }: UploadDeps,
  { operator }: OperatorContext,
  sealed: Sealed,
): Promise<CommandReply<SettlementPreview>> {
  const upload = await db
    .selectFrom("upload")
    .selectAll()
    .where("import_id", "=", sealed.importId)
    .where("uploaded_by", "=", operator.person)
    .where("sealed_at", "is", null)
    .executeTakeFirst();
  if (!upload) return gone();
  try {
    if (!(await isWhole(db, sealed))) return gone();
    const { account_id: accountId, mapping, file_name: fileName } = upload;
    const deps = { db, mappings, bounds: FILE_BOUNDS };
    const result = await previewFile(deps, {
      accountId,
      mapping,
      fileName,
      open: (trx) => partsOf({ db: trx, fileKeys }, sealed.importId),
    });
    return { outcome: "done", result };
  } finally {
    await db.deleteFrom("upload").where("import_id", "=", sealed.importId).execute();
  }
}
