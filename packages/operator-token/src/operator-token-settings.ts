import { durationSetting, textSetting, webWire, type Logger } from "@holdfast/service-runtime";
import { z } from "zod";
import { operatorKeys } from "./operator-keys.ts";
import { reportKeyFailures } from "./report-key-failures.ts";
import type { StaffTokenSettings } from "./staff-token-settings.ts";
import { verifyOperatorToken, type OperatorTokenRules, type VerifyToken } from "./verify-operator-token.ts";

/** The rules by which operators' tokens are verified: the same in each process that verifies one. */
export const operatorTokenSettings = {
  OPERATOR_JWKS: textSetting("must be a URL or the path of a file").describe(
    "The public keys of the operators' identity provider (JSON Web Key Set).",
  ),
  OPERATOR_JWKS_STALE_MAX: keysStaleSetting().describe(
    "How long the operators' keys serve that were read last while they cannot be read again. After that every token is answered 503.",
  ),
  OPERATOR_JWT_ISSUER: textSetting("must be the token's iss").describe(
    "The issuer that operators' tokens must name.",
  ),
  OPERATOR_JWT_AUDIENCE: textSetting("must be the token's aud").describe(
    "The audience that operators' tokens must name. A token that names the staff's, too, or has `STAFF_MERCHANT_CLAIM`, is refused.",
  ),
  OPERATOR_ROLES_CLAIM: textSetting("must be the name of a claim")
    .default("roles")
    .describe(
      "The claim that lists an operator's roles: `viewer`, `approver`, `onboarder`, `operations`, `admin`.",
    ),
  OPERATOR_TOKEN_AGE_MAX: durationSetting({ min: "1m", max: "24h" })
    .default(3_600_000)
    .describe(
      "The longest life of an operator's token, from its `iat` to its `exp`; one that lives longer is refused.",
    ),
  OPERATOR_TOKEN_TYPES: tokenTypesSetting().describe(
    "The values of the header `typ` that an operator's token may have, separated by commas; `none` stands for a token without one.",
  ),
  OPERATOR_TOKEN_LEEWAY: leewaySetting().describe(
    "How far the clock of the operators' identity provider may be from ours.",
  ),
  OPERATOR_DECISION_SIGN_IN_AGE_MAX: decisionSignInAgeSetting().describe(
    "How long ago an operator may have signed in, by the token's `auth_time`, for a decision about money: refunds, unresolved payments, chargebacks, differences, accounts at banks and routes. With an older sign-in such a request is refused (`insufficient_user_authentication`).",
  ),
  OPERATOR_DECISION_ISSUED_AGE_MAX: decisionIssuedAgeSetting().describe(
    "The same of a token without `auth_time`, from its `iat`. With `0s` such a token decides nothing.",
  ),
  OPERATOR_REQUIRED_ACR: namesSetting()
    .prefault("")
    .describe(
      "Values of the claim `acr`, separated by commas, of which a token must have one. With none, `acr` is not looked at.",
    ),
  OPERATOR_REQUIRED_AMR: namesSetting()
    .prefault("")
    .describe(
      "Values that the claim `amr` must list, all of them, separated by commas, such as `mfa`. With none, `amr` is not looked at.",
    ),
};

type Settings = z.infer<z.ZodObject<typeof operatorTokenSettings>>;

/**
 * The gateway's settings: its other listeners verify no token, so its schema asks for these only where they are needed.
 */
type OptionalSettings = {
  [Name in "OPERATOR_JWKS" | "OPERATOR_JWT_ISSUER" | "OPERATOR_JWT_AUDIENCE"]?: string | undefined;
};

/** The settings of staff's tokens that no operator's token may meet. */
type ToldApart = Pick<StaffTokenSettings, "STAFF_MERCHANT_CLAIM"> & {
  STAFF_JWT_AUDIENCE?: string | undefined;
};

/** The identity provider's keys, where they are fetched, have to be fetched over TLS. */
export const operatorTokenWire = (settings: OptionalSettings) =>
  webWire("OPERATOR_JWKS", "operator-jwks", settings.OPERATOR_JWKS);

/** Verifies tokens as the settings say. @param log records that the keys cannot be read. */
export function createVerifyToken(
  config: OptionalSettings & Omit<Settings, keyof OptionalSettings> & ToldApart,
  log: Pick<Logger, "warn">,
): VerifyToken {
  const { OPERATOR_JWKS: location, OPERATOR_JWT_ISSUER: issuer, OPERATOR_JWT_AUDIENCE: audience } = config;
  if (location === undefined || issuer === undefined || audience === undefined)
    throw new TypeError("operators' tokens cannot be verified without their keys, issuer and audience");
  const keys = operatorKeys(location, {
    staleMaxMs: config.OPERATOR_JWKS_STALE_MAX,
    onFailure: reportKeyFailures("operators", log),
  });
  const rules: OperatorTokenRules = {
    issuer,
    audience,
    otherAudience: config.STAFF_JWT_AUDIENCE,
    merchantClaim: config.STAFF_MERCHANT_CLAIM,
    rolesClaim: config.OPERATOR_ROLES_CLAIM,
    ageMaxMs: config.OPERATOR_TOKEN_AGE_MAX,
    types: config.OPERATOR_TOKEN_TYPES,
    leewayMs: config.OPERATOR_TOKEN_LEEWAY,
    requiredAcr: config.OPERATOR_REQUIRED_ACR,
    requiredAmr: config.OPERATOR_REQUIRED_AMR,
    recent: {
      signInAgeMaxMs: config.OPERATOR_DECISION_SIGN_IN_AGE_MAX,
      issuedAgeMaxMs: config.OPERATOR_DECISION_ISSUED_AGE_MAX,
    },
  };
  return async (token) => await verifyOperatorToken(token, keys, rules);
}

/** The greatest age of a sign-in for a decision about money. */
export function decisionSignInAgeSetting() {
  return durationSetting({ min: "1m", max: "12h" }).default(900_000);
}

/** The greatest age by the token's issue, for tokens without the time of a sign-in. */
export function decisionIssuedAgeSetting() {
  return durationSetting({ min: "0s", max: "24h" }).default(900_000);
}

/** The greatest age of keys that cannot be read again. */
export function keysStaleSetting() {
  return durationSetting({ min: "0s", max: "24h" }).default(3_600_000);
}

/** RFC 7519 leaves "no more than a few minutes". */
export function leewaySetting() {
  return durationSetting({ min: "0s", max: "2m" }).default(5_000);
}

/** RFC 9068 requires `at+jwt`; most identity providers send `JWT`, and some send nothing. */
export function tokenTypesSetting() {
  return namesSetting()
    .refine((names) => names.length > 0, "must name a type, or `none`")
    .prefault("at+jwt,JWT");
}

/** Names separated by commas. */
export function namesSetting() {
  return z
    .string({ error: "must be names separated by commas" })
    .transform((value) => value.split(",").flatMap((name) => name.trim() || []));
}
