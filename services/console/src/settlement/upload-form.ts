import { uploadSettlement } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import { hidden, textField } from "../ui/form-fields.ts";
import { roleBar } from "../ui/offers.ts";
import type { Notice, PageAnswer, PageContext } from "../ui/page-context.ts";
import { problemText } from "../ui/take-action.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";

/** A bank's file by a form, which needs no script. Its fields stand before the file, which is read as it arrives. */
export function uploadForm(context: PageContext): Html {
  const { form, reader, session } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const bar = roleBar(session, "operations", reader.texts);
  if (bar !== undefined) return html`<p class="quiet">${texts.upload}: ${bar}</p>`;
  const value = (name: string, otherwise: string) => form.get(name) ?? otherwise;
  return html`<h2>${texts.upload}</h2>
    <form class="act" method="post" enctype="multipart/form-data" action="/settlement/upload">
      ${hidden(context)}
      ${textField({
        name: "accountId",
        id: "upload-account",
        label: texts.account,
        hint: texts.accountHint,
        value: value("accountId", "default"),
        max: 64,
      })}
      ${textField({
        name: "mapping",
        label: texts.mapping,
        hint: texts.mappingHint,
        value: value("mapping", "generic"),
        max: 64,
      })}
      <div class="field">
        <label for="file">${texts.chooseFile}</label>
        <p class="quiet" id="file-hint">${texts.chooseFileHint}</p>
        <input type="file" id="file" name="file" aria-describedby="file-hint" />
      </div>
      <button>${texts.uploadButton}</button>
    </form>`;
}

/** Passes the file on as it arrives, and leads to the page that shows the imported lines. */
export async function receiveUpload(
  context: PageContext,
  renderAgain: (context: PageContext, notice: Notice, status: number) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { api, file, form, reader } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const field = (name: string) => form.get(name)?.trim() ?? "";
  const refuse = (text: string, status: number) =>
    renderAgain(context, { role: "alert", title: reader.texts.notDone, text }, status);
  const query = { accountId: field("accountId"), mapping: field("mapping") };
  if (!file?.name || query.accountId === "" || query.mapping === "") return await refuse(texts.needFile, 400);
  const sent = await api.upload(uploadSettlement, { query, part: uploadSettlement.file.part, file });
  if (!sent.done) return await refuse(problemText(sent.problem), sent.problem.status);
  return { kind: "redirect", to: `/settlement/imports/${sent.body.importId}?done=uploadFile` };
}
