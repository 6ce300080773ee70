import { operations } from "@holdfast/contracts";
import { html, type Html } from "@holdfast/html";
import type { KnownAccounts } from "../accounts/account-path.ts";
import { faultOfSent, needsOf } from "../ui/field-faults.ts";
import { fileForm, selectField } from "../ui/form-fields.ts";
import { barText, roleBar } from "../ui/offers.ts";
import type { Notice, PageAnswer, PageContext } from "../ui/page-context.ts";
import { takeFile } from "../ui/take-action.ts";
import { awayNote } from "../ui/unless-away.ts";
import { SETTLEMENT_TEXTS } from "./settlement-texts.ts";

/** The accounts and mappings that the form offers. */
type UploadChoices = { accounts: KnownAccounts; mappings: readonly string[] };

/** A bank's file by a form. */
export function uploadForm(context: PageContext, { accounts, mappings }: UploadChoices): Html {
  const { form, reader, session } = context;
  const texts = SETTLEMENT_TEXTS[reader.language];
  const bar = roleBar(session, "operations", reader.texts);
  if (bar !== undefined) return barText(texts.upload, { why: bar });
  if (!accounts)
    return html`<h2>${texts.upload}</h2>
      ${awayNote(reader, texts.accounts, accounts)}`;
  return html`<h2>${texts.upload}</h2>
    ${fileForm(context, {
      action: "/settlement/upload",
      fields: html`${selectField({
        name: "accountId",
        id: "upload-account",
        label: texts.account,
        choices: accounts
          .filter(({ livemode }) => livemode)
          .map(({ accountId, name }) => ({ value: accountId, text: name })),
        chosen: form.get("accountId") ?? "",
        fault: faultOfSent(context, "accountId"),
      })}
      ${selectField({
        name: "mapping",
        label: texts.mapping,
        choices: mappings.map((name) => ({ value: name, text: name })),
        chosen: form.get("mapping") ?? "generic",
        fault: faultOfSent(context, "mapping"),
      })}`,
      label: texts.chooseFile,
      hint: texts.chooseFileHint,
      button: texts.uploadButton,
    })}`;
}

/** Leads to the page that shows the imported lines. */
export async function receiveUpload(
  context: PageContext,
  renderAgain: (context: PageContext, notice: Notice, status: number) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { form, reader } = context;
  const { needAccount, needFile, needMapping } = SETTLEMENT_TEXTS[reader.language];
  const field = (name: string) => form.get(name)?.trim() ?? "";
  // The file's page is looked at before anything counts, also where one person is enough.
  const query = { accountId: field("accountId"), mapping: field("mapping"), review: "true" };
  return await takeFile(
    context,
    {
      action: "uploadFile",
      endpoint: operations.uploadSettlement,
      query,
      needFile,
      needs: needsOf({
        accountId: query.accountId === "" && needAccount,
        mapping: query.mapping === "" && needMapping,
      }),
      pageOf: ({ importId }) => `/settlement/imports/${importId}`,
    },
    renderAgain,
  );
}
