/** The texts of an answer that a bank composes; every other field is a number, a time or a name of the protocol. */
type Texts = {
  resultMessage?: string;
  authCode?: string;
  resultCode?: string;
  externalTransactionId?: string;
};

/**
 * Pads an answer's texts as fixed-length hosts do: with NULs at their end and control characters of terminals around
 * them, and makes the message longer than any column that was planned for it.
 */
export function withControlCharacters<Answer extends object>(answer: Answer & Texts): Answer {
  const { resultMessage, authCode, resultCode, externalTransactionId } = answer;
  return {
    ...answer,
    ...(resultMessage !== undefined && { resultMessage: padded(`${resultMessage}. ${SLIP}`) }),
    ...(authCode !== undefined && { authCode: padded(authCode) }),
    ...(resultCode !== undefined && { resultCode: padded(resultCode) }),
    ...(externalTransactionId !== undefined && { externalTransactionId: padded(externalTransactionId) }),
  };
}

function padded(text: string): string {
  return `\u0000\u001b${text}\u0007\u0000\u0000\u0000`;
}

/** More than 200 characters, without a control character among them. */
const SLIP = "PLEASE KEEP THIS SLIP FOR YOUR RECORDS. ".repeat(6).trimEnd();
