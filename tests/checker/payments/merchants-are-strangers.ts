import type { Found, HistoryEntry, Ledgers } from "../ledgers.ts";

/**
 * Invariant 20. Another merchant's records look like records that do not exist: 404, and the same bytes but for the ids
 * of the request.
 */
export function merchantsAreStrangers({ history, payments, refunds, checkouts }: Ledgers): Found[] {
  const owners = new Map([
    ...payments.map(({ paymentId, merchantId }) => [paymentId, merchantId] as const),
    ...refunds.map(({ refundId, merchantId }) => [refundId, merchantId] as const),
    ...checkouts.map(({ checkoutId, merchantId }) => [checkoutId, merchantId] as const),
  ]);
  const asked = history.flatMap((entry) => {
    const id = subjectOf(entry);
    return id === undefined ? [] : [{ entry, id, owner: owners.get(id) }];
  });
  const foreign = asked.filter(({ entry, owner }) => owner !== undefined && owner !== entry.merchantId);
  const nobodys = asked.filter(({ entry, owner }) => owner === undefined && entry.status === 404);
  return [
    ...foreign
      .filter(({ entry: { status = 500 } }) => status < 500 && status !== 404)
      .map(({ entry, id }) => ({
        ids: [id, entry.merchantId],
        what: `another merchant got ${entry.status}`,
      })),
    ...differences([...foreign.filter(({ entry }) => entry.status === 404), ...nobodys]),
  ];
}

/** The payment, refund or checkout that a path names. */
function subjectOf({ path }: HistoryEntry): string | undefined {
  return /^\/api\/(?:payment|checkout)\/([\da-f-]{36})(?:\/|$)/.exec(path)?.[1];
}

function differences(missing: { entry: HistoryEntry; id: string }[]): Found[] {
  const kinds = Map.groupBy(missing, ({ entry: { method, path } }) => `${method} ${path.split("/")[2]}`);
  return [...kinds].flatMap(([kind, those]) => {
    const texts = Map.groupBy(those, ({ entry }) => (entry.body ?? "").replaceAll(UUID, "…"));
    if (texts.size <= 1) return [];
    const ids = [...texts.values()].flatMap(([first]) => first?.id ?? []);
    return [{ ids, what: `${kind} is answered with ${texts.size} different 404s` }];
  });
}

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
