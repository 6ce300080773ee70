import { operations, type Merchant } from "@holdfast/contracts";
import type { Html } from "@holdfast/html";
import { selectField, textField } from "./form-fields.ts";
import type { PageContext } from "./page-context.ts";

/**
 * The newest merchants, as many as one request returns: for names, and for a choice if there are no others.
 */
export type KnownMerchants = { items: Merchant[]; nextCursor?: string | undefined };

export async function readMerchants({ api, session }: PageContext): Promise<KnownMerchants> {
  // A merchant's staff know only their own, and need not choose it.
  if (session.staff) return { items: [] };
  return await api.read(operations.listMerchants, { query: { limit: "200" } });
}

/** Chosen from a list where there are few, typed by its id where there are many. */
export function merchantField(
  known: KnownMerchants,
  {
    label,
    any,
    chosen,
    fault,
  }: { label: string; any: string; chosen: string | undefined; fault?: string | undefined },
): Html {
  if (known.nextCursor !== undefined)
    return textField({ name: "merchantId", label, value: chosen, max: 100, fault });
  const choices = known.items.map(({ merchantId, name }) => ({ value: merchantId, text: name }));
  const isKnown = chosen === undefined || choices.some(({ value }) => value === chosen);
  return selectField({
    name: "merchantId",
    label,
    choices: [{ value: "", text: any }, ...(isKnown ? [] : [{ value: chosen, text: chosen }]), ...choices],
    chosen,
    fault,
  });
}

/** The name where it is known, and the id otherwise. */
export function merchantName(known: KnownMerchants, merchantId: string): string {
  return known.items.find((merchant) => merchant.merchantId === merchantId)?.name ?? merchantId;
}
