import { LONG_SLIP, withControlCharacters as padWithControls } from "@holdfast/simulator-kit";

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
    ...(resultMessage !== undefined && { resultMessage: padWithControls(`${resultMessage}. ${LONG_SLIP}`) }),
    ...(authCode !== undefined && { authCode: padWithControls(authCode) }),
    ...(resultCode !== undefined && { resultCode: padWithControls(resultCode) }),
    ...(externalTransactionId !== undefined && {
      externalTransactionId: padWithControls(externalTransactionId),
    }),
  };
}
