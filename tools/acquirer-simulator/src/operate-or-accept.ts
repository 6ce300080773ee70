import type { OperationRequest } from "./operation-request.ts";
import type { PendingDesk } from "./pending-desk.ts";
import type { Answer, Circumstances, Teller } from "./teller.ts";

/** Carries an operation out, or accepts it only; a repeat of one that was accepted is answered in the same way. */
export async function operateOrAccept(
  { teller, pending }: { teller: Teller; pending: PendingDesk },
  asked: OperationRequest,
  { isPending, ...circumstances }: Circumstances & { isPending: boolean },
): Promise<Answer> {
  const { reference, amountMinor, currency } = asked;
  const waiting = pending.answerTo(reference);
  if (waiting) return { kind: "answer", body: waiting };
  if (!isPending || teller.hasSeen(reference)) return await teller.operate(asked, circumstances);
  const answer = { reference, outcome: "pending" as const, amountMinor: Number(amountMinor), currency };
  const decide = (forcedCode = circumstances.forcedCode) =>
    teller.operate(asked, { ...circumstances, forcedCode });
  return { kind: "answer", body: pending.accept({ answer, decide }) };
}
