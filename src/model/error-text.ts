/** One line for a person, of any thrown value. */
export const errorText = (error: unknown) => (error instanceof Error ? error.message : String(error));
