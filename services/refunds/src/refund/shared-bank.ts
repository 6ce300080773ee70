import type { Acquirer, NotSent } from "@holdfast/acquirer";
import type { SharedPlaces } from "@holdfast/service-runtime";

/** What refunds need of the acquirer. */
export type RefundBank = Pick<Acquirer, "refund" | "release" | "inquire">;

/** The bank as the refunds of one merchant may use it. */
export type BankOf = (merchantId: string) => RefundBank;

/**
 * Gives each merchant's refunds their share of the connections. A call that gets none within its time was not sent, as one
 * for which the bank could not be reached: the refund stays as it is, and recovery carries it out.
 */
export function shareBank(acquirer: RefundBank, connections: SharedPlaces): BankOf {
  return (merchantId) => {
    const within =
      <Request extends { waitUntil: Date }, Outcome>(call: (request: Request) => Promise<Outcome>) =>
      async (request: Request): Promise<Outcome | NotSent> => {
        const release = await connections.wait(merchantId, request.waitUntil.getTime());
        return release ? await call(request).finally(release) : { kind: "not_sent" };
      };
    return {
      refund: within(acquirer.refund),
      release: within(acquirer.release),
      inquire: within(acquirer.inquire),
    };
  };
}
