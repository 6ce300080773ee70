import { durationSetting, textSetting, webWire, type Logger } from "@holdfast/service-runtime";
import { z } from "zod";
import { operatorKeys } from "./operator-keys.ts";
import {
  decisionIssuedAgeSetting,
  decisionSignInAgeSetting,
  keysStaleSetting,
  leewaySetting,
  namesSetting,
  tokenTypesSetting,
} from "./operator-token-settings.ts";
import { reportKeyFailures } from "./report-key-failures.ts";
import { verifyStaffToken, type VerifyStaffToken } from "./verify-operator-token.ts";

/**
 * The rules by which the tokens of merchants' staff are verified, the same in each process. The first three
 * are set together; without them no staff can sign in.
 */
export const staffTokenSettings = {
  STAFF_JWKS: textSetting("must be a URL or the path of a file")
    .optional()
    .describe(
      "The public keys of the identity provider of merchants' staff (JSON Web Key Set). Without it nobody signs in as staff. Required by the staff API.",
    ),
  STAFF_JWKS_STALE_MAX: keysStaleSetting().describe(
    "How long the staff's keys serve that were read last while they cannot be read again. After that every token of staff is answered 503.",
  ),
  STAFF_JWT_ISSUER: textSetting("must be the token's iss")
    .optional()
    .describe("The issuer that staff's tokens must name. Required by the staff API."),
  STAFF_JWT_AUDIENCE: textSetting("must be the token's aud")
    .optional()
    .describe(
      "The audience that staff's tokens must name. It must not be the operators', and a token that names both is nobody's. Required by the staff API.",
    ),
  STAFF_ROLES_CLAIM: textSetting("must be the name of a claim")
    .default("roles")
    .describe("The claim that lists a person's roles: `support`, `refunds`, `developer`, `owner`."),
  STAFF_MERCHANT_CLAIM: textSetting("must be the name of a claim")
    .default("merchant_id")
    .describe(
      "The claim that names the person's merchant by its `merchantId`. A token without it is refused: the identity provider decides whose staff somebody is.",
    ),
  STAFF_TOKEN_AGE_MAX: durationSetting({ min: "1m", max: "24h" })
    .default(3_600_000)
    .describe(
      "The longest life of a token of staff, from its `iat` to its `exp`; one that lives longer is refused.",
    ),
  STAFF_TOKEN_TYPES: tokenTypesSetting().describe(
    "The values of the header `typ` that a token of staff may have, separated by commas; `none` stands for a token without one.",
  ),
  STAFF_TOKEN_LEEWAY: leewaySetting().describe(
    "How far the clock of the staff's identity provider may be from ours.",
  ),
  STAFF_DECISION_SIGN_IN_AGE_MAX: decisionSignInAgeSetting().describe(
    "How long ago a person of a merchant's staff may have signed in, by the token's `auth_time`, to request a refund, to capture, to cancel, and to make or revoke an API key. With an older sign-in such a request is refused (`insufficient_user_authentication`).",
  ),
  STAFF_DECISION_ISSUED_AGE_MAX: decisionIssuedAgeSetting().describe(
    "The same of a token without `auth_time`, from its `iat`. With `0s` such a token does none of that.",
  ),
  STAFF_REQUIRED_ACR: namesSetting()
    .prefault("")
    .describe(
      "Values of the claim `acr`, separated by commas, of which a token of staff must have one. With none, `acr` is not looked at.",
    ),
  STAFF_REQUIRED_AMR: namesSetting()
    .prefault("")
    .describe(
      "Values that the claim `amr` of a token of staff must list, all of them, separated by commas. With none, `amr` is not looked at.",
    ),
};

export type StaffTokenSettings = z.infer<z.ZodObject<typeof staffTokenSettings>>;

/** The keys, where they are fetched, have to be fetched over TLS. */
export const staffTokenWire = ({ STAFF_JWKS }: Pick<StaffTokenSettings, "STAFF_JWKS">) =>
  webWire("STAFF_JWKS", "staff-jwks", STAFF_JWKS);

type Checked = Partial<StaffTokenSettings> & { OPERATOR_JWT_AUDIENCE?: string | undefined };

const TOGETHER = ["STAFF_JWKS", "STAFF_JWT_ISSUER", "STAFF_JWT_AUDIENCE"] as const;

/** Finds faults between these settings and the operators', for a configuration's schema. */
export function checkStaffTokens({ value, issues }: { value: Checked; issues: z.core.$ZodRawIssue[] }): void {
  const fault = (setting: (typeof TOGETHER)[number], message: string) =>
    issues.push({ code: "custom", input: undefined, path: [setting], message });
  // The audience alone says which tokens are no operator's.
  const given = TOGETHER.find((name) => name !== "STAFF_JWT_AUDIENCE" && value[name] !== undefined);
  if (given !== undefined)
    for (const name of TOGETHER) if (value[name] === undefined) fault(name, `${given} needs it`);
  // The issuers do not matter: one provider may come to issue both.
  if (value.STAFF_JWT_AUDIENCE !== undefined && value.STAFF_JWT_AUDIENCE === value.OPERATOR_JWT_AUDIENCE) {
    fault(
      "STAFF_JWT_AUDIENCE",
      "must not be OPERATOR_JWT_AUDIENCE: a token is an operator's or a merchant's staff's",
    );
  }
}

/** Verifies tokens by the settings; undefined if the installation has no staff. */
export function createVerifyStaffToken(
  config: StaffTokenSettings & Pick<Checked, "OPERATOR_JWT_AUDIENCE">,
  log: Pick<Logger, "warn">,
): VerifyStaffToken | undefined {
  const { STAFF_JWKS: location, STAFF_JWT_ISSUER: issuer, STAFF_JWT_AUDIENCE: audience } = config;
  if (location === undefined || issuer === undefined || audience === undefined) return undefined;
  const keys = operatorKeys(location, {
    staleMaxMs: config.STAFF_JWKS_STALE_MAX,
    onFailure: reportKeyFailures("staff", log),
  });
  const rules = {
    issuer,
    audience,
    otherAudience: config.OPERATOR_JWT_AUDIENCE,
    rolesClaim: config.STAFF_ROLES_CLAIM,
    merchantClaim: config.STAFF_MERCHANT_CLAIM,
    ageMaxMs: config.STAFF_TOKEN_AGE_MAX,
    types: config.STAFF_TOKEN_TYPES,
    leewayMs: config.STAFF_TOKEN_LEEWAY,
    requiredAcr: config.STAFF_REQUIRED_ACR,
    requiredAmr: config.STAFF_REQUIRED_AMR,
    recent: {
      signInAgeMaxMs: config.STAFF_DECISION_SIGN_IN_AGE_MAX,
      issuedAgeMaxMs: config.STAFF_DECISION_ISSUED_AGE_MAX,
    },
  };
  return async (token) => await verifyStaffToken(token, keys, rules);
}

/**
 * A service's verification of a merchant's staff; undefined if the installation has no staff.
 *
 * @param onForbidden records a request that the person's roles do not allow.
 */
export function staffAdmission<Attempt>(
  config: StaffTokenSettings & Pick<Checked, "OPERATOR_JWT_AUDIENCE">,
  log: Pick<Logger, "warn">,
  onForbidden: (attempt: Attempt) => Promise<void>,
): { verify: VerifyStaffToken; onForbidden: (attempt: Attempt) => Promise<void> } | undefined {
  const verify = createVerifyStaffToken(config, log);
  return verify && { verify, onForbidden };
}
