import { amountText, type Amount } from "./amount.ts";
import type { BinInfo } from "./checkout-records.ts";
import { invalidArgument } from "./holdfast-error.ts";
import type { Settings } from "./options.ts";
import { read } from "./read.ts";

export type Bins = {
  /**
   * The scheme, type, country and installments of a card, by its first 6 to 8 digits.
   * @param order its price, to learn what each number of installments costs.
   */
  get(bin: string, order?: { amount: Amount; currency: string }): Promise<BinInfo>;
};

export function createBins(settings: Settings): Bins {
  return {
    async get(bin, order) {
      // A URL may never contain more of a card number than this.
      if (!/^\d{6,8}$/.test(bin)) throw invalidArgument("invalid_argument", "a BIN has 6 to 8 digits");
      const asked = order && { amount: amountText(order.amount), currency: order.currency };
      const query = asked ? `?${new URLSearchParams(asked).toString()}` : "";
      return (await read(settings, `/api/bins/${bin}${query}`)) as BinInfo;
    },
  };
}
