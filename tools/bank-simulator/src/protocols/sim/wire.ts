import { jsonReply, LONG_SLIP, withControlCharacters, type Reply, type Wire } from "../../core/index.ts";
import { resultMessages } from "./result-codes.ts";

/** The form of this bank's answers. */
export const wire: Wire<{ amountMinor?: number }> = {
  write: (answer) => jsonReply(answer),
  bend: (answer, behaviour) => {
    switch (behaviour) {
      case "expire":
        return expired(answer);
      case "wrong_amount":
        return { ...answer, amountMinor: (answer.amountMinor ?? 0) + 1 };
      case "control_characters":
        return padded(answer);
      default:
        return answer;
    }
  },
  garbage: { status: 200, contentType: "application/json", body: '<html>{"outcome": "approv' },
  broken: jsonReply({ error: "internal_error" }, 500),
};

/** Refuses a request whose reference is bound to another request (`conflict`) or to this one (`duplicate`). */
export function takenReply(kind: "conflict" | "duplicate", reference: string): Reply {
  const error = kind === "conflict" ? "reference_conflict" : "duplicate_reference";
  return jsonReply({ error, reference }, 409);
}

/** A bank that judges by the time alone ignores stored outcomes: a repeat is too late, too. */
function expired<Body extends object>(body: Body): Body {
  const resultCode = "expired_request";
  const resultMessage = resultMessages[resultCode];
  return { ...body, outcome: "expired", authCode: undefined, resultCode, resultMessage };
}

/** The texts of an answer that a bank composes; every other field is a number, a time or a name of the protocol. */
type Texts = {
  resultMessage?: string;
  authCode?: string;
  resultCode?: string;
  externalTransactionId?: string;
};

/** Pads an answer's texts, and makes the message longer than any column that was planned for it. */
function padded<Body extends object>(body: Body & Texts): Body {
  const { resultMessage, ...texts } = body;
  const names = (["authCode", "resultCode", "externalTransactionId"] as const).filter((name) => texts[name]);
  return {
    ...body,
    ...Object.fromEntries(names.map((name) => [name, withControlCharacters(texts[name] ?? "")])),
    ...(resultMessage !== undefined && {
      resultMessage: withControlCharacters(`${resultMessage}. ${LONG_SLIP}`),
    }),
  };
}
