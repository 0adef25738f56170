/** Seconds since 1970, as the agent gives them, in RFC 3339. */
export const time = (seconds: number) => new Date(seconds * 1000).toISOString();
