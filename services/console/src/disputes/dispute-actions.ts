import { CHARGEBACK_OUTCOMES, operations } from "@holdfast/contracts";
import { needsOf } from "../ui/field-faults.ts";
import { instantOf } from "../ui/instant-field.ts";
import type { PageAnswer, PageContext } from "../ui/page-context.ts";
import { takeAction, takeFile } from "../ui/take-action.ts";
import { answerDispute } from "./dispute-page.ts";
import { DISPUTE_TEXTS } from "./dispute-texts.ts";

/** The dispute of a form, and its page. */
function subjectOf({ parameters }: PageContext) {
  const chargebackId = parameters["chargebackId"]!;
  return { path: { chargebackId }, page: `/disputes/${encodeURIComponent(chargebackId)}` };
}

/** Records how the dispute ended, or the proposal of the first of two people. */
export async function decideDispute(context: PageContext): Promise<PageAnswer> {
  const { form, reader } = context;
  const outcome = CHARGEBACK_OUTCOMES.find((each) => each === form.get("outcome"));
  const reason = form.get("reason")?.trim() ?? "";
  return await takeAction(
    context,
    {
      action: "decideDispute",
      endpoint: operations.decideChargeback,
      ...subjectOf(context),
      body: { outcome, reason },
      needs: needsOf({
        outcome: !outcome && DISPUTE_TEXTS[reader.language].needOutcome,
        reason: reason === "" && reader.texts.needAnyReason,
      }),
    },
    answerDispute,
    ({ status }) => (status === "OPEN" ? "proposeOutcome" : "decideDispute"),
  );
}

/** Records the bank's data; an empty field changes nothing. */
export async function changeDispute(context: PageContext): Promise<PageAnswer> {
  const { reader } = context;
  const body = announcedIn(context);
  return await takeAction(
    context,
    {
      action: "changeDispute",
      endpoint: operations.changeChargeback,
      ...subjectOf(context),
      body,
      needs: needsOf({
        reasonCode: Object.keys(body).length === 0 && DISPUTE_TEXTS[reader.language].needChange,
      }),
    },
    answerDispute,
  );
}

/** The bank's announcement, as far as a form has it. */
function announcedIn({ form }: PageContext) {
  const field = (name: string) => form.get(name)?.trim() || undefined;
  const parts = {
    reasonCode: field("reasonCode"),
    bankReference: field("bankReference"),
    respondBy: instantOf(field("respondBy")),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
}

/** Keeps a file with the dispute. */
export async function addEvidence(context: PageContext): Promise<PageAnswer> {
  const { path, page } = subjectOf(context);
  return await takeFile(
    context,
    {
      action: "addEvidence",
      endpoint: operations.addChargebackEvidence,
      path,
      needFile: DISPUTE_TEXTS[context.reader.language].needFile,
      pageOf: () => page,
    },
    answerDispute,
  );
}
