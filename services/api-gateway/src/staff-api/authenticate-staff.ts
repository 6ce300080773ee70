import type { MerchantSettings, VerifiedStaff } from "@holdfast/contracts";
import type { Authenticate } from "../endpoint/create-router.ts";
import { Refusal } from "../http/refusal.ts";
import { signInByToken, type SignInDeps } from "../operator-api/authenticate-operator.ts";

type Deps = SignInDeps<VerifiedStaff> & {
  /** The merchant's plan and rules; undefined if the merchant does not exist or is suspended. */
  findMerchant: (merchantId: string) => Promise<MerchantSettings | undefined>;
};

/**
 * Authenticates a merchant's staff by a bearer token, like operators. The token names the merchant; the staff
 * of an unknown or suspended merchant may do nothing.
 */
export function authenticateStaff({ findMerchant, ...deps }: Deps): Authenticate {
  return signInByToken(deps, async (exchange, person, token) => {
    exchange.merchantId = person.merchantId;
    const settings = await findMerchant(person.merchantId);
    // Set for a refused person, too: their name belongs into the log.
    exchange.staff = { ...person, token, settings: settings ?? {}, livemode: true };
    return settings ? undefined : new Refusal("forbidden");
  });
}
