/**
 * Decides which statuses are an acknowledgement: the answered one alone, and while the question receiver-response is
 * open any of success (RFC 9110 §15.3).
 */
export function acknowledges(answer: number | undefined): (status: number) => boolean {
  return answer === undefined ? (status) => status >= 200 && status < 300 : (status) => status === answer;
}
