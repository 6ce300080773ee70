import { preAuthorization, type Client } from "../e2e/running-sandbox.ts";
import { untilAnswered, wholeTime, type SteadyLoad } from "./steady-load.ts";

/** One payment as a patient merchant sees it: repeated under its Idempotency-Key until it is answered for good. */
export type SteadyPayment = { key: string; paymentId: string; statuses: (number | "no answer")[] };

/** Pays all the time, a few in parallel, until it is stopped. */
export function payTheWholeTime(merchant: Client): SteadyLoad<SteadyPayment> {
  return wholeTime(PAYERS, async (name) => {
    const key = `steady-${name}`;
    const body = preAuthorization({ orderId: key });
    const { answer, statuses } = await untilAnswered(
      key,
      () => merchant("POST", "/api/pre-authorization", body, { "Idempotency-Key": key }),
      ({ status }) => status === 201,
    );
    return { key, paymentId: answer.body.paymentId as string, statuses };
  });
}

const PAYERS = 4;
