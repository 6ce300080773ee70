import type { BinInfo } from "./checkout-records.ts";
import { invalidArgument } from "./holdfast-error.ts";
import type { Settings } from "./options.ts";
import { read } from "./read.ts";

export type Bins = {
  /** The scheme, type, country and installments of a card, by its first 6 to 8 digits. */
  get(bin: string): Promise<BinInfo>;
};

export function createBins(settings: Settings): Bins {
  return {
    async get(bin) {
      // No more of a card number than that may ever stand in a URL.
      if (!/^\d{6,8}$/.test(bin)) throw invalidArgument("invalid_argument", "a BIN has 6 to 8 digits");
      return (await read(settings, `/api/bins/${bin}`)) as BinInfo;
    },
  };
}
