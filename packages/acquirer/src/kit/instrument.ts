import type { AcquirerCard, Authentication, Declined, NotGenuine } from "../acquirer.ts";

/** The payer of an authorization or a sale: a card, or the proof of an authentication in its place. */
export type Instrument = AcquirerCard | Proof;
export type Proof = { md: string; xid: string; eci: string; cavv: string };

/** The end of reading a browser's return. */
export type ReturnRead =
  | { kind: "proven"; proof: Proof; authentication: Authentication }
  | (Declined & { authentication?: Authentication })
  | NotGenuine;

/** Texts that an answer must not repeat. */
export function confidentialOf(instrument: Instrument): readonly string[] {
  return "pan" in instrument ? [instrument.pan, instrument.cvv] : [instrument.md, instrument.cavv];
}

/** Two digits, whether the year came with two or four. */
export function shortYear({ expiryYear }: Pick<AcquirerCard, "expiryYear">): string {
  return expiryYear.slice(-2);
}
