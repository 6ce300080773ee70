import type { MerchantSettings, VerifiedStaff } from "@holdfast/contracts";
import type { Authenticate } from "../endpoint/create-router.ts";
import { Refusal } from "../http/refusal.ts";
import { signInByToken, type SignInDeps } from "../operator-api/authenticate-operator.ts";

type Deps = SignInDeps<VerifiedStaff> & {
  /** The merchant's plan and rules; undefined if the merchant does not exist or is suspended. */
  findMerchant: (merchantId: string) => Promise<MerchantSettings | undefined>;
};

/**
 * Signs a merchant's staff in by a bearer token, as operators sign in. The merchant is the one that the token names: of a
 * merchant that does not exist, or is suspended, the staff may do nothing.
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
