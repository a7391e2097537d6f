const storageKey = "parley-token";

/**
 * The token for this tab: from the address, from where it goes at once so that it is in no history or
 * bookmark, or kept from before a reload.
 */
export function takeToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    keepToken(given);
  }
  return sessionStorage.getItem(storageKey);
}

export function keepToken(token: string): void {
  sessionStorage.setItem(storageKey, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(storageKey);
}
