/** An object as it travels in JSON: the client library's types say Date where the text has RFC 3339. */
export type Wire<T> = T extends Date ? string : T extends object ? { [Key in keyof T]: Wire<T[Key]> } : T;
