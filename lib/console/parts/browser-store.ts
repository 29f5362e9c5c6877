/**
 * Texts that the browser keeps. Where it blocks storage, as some do in private windows or by an organisation's policy,
 * every access fails: the page then keeps them itself, until it is reloaded or left.
 */

export interface BrowserStore {
  get(place: string): string | null;
  /** @returns false when the text is lost with the page */
  set(place: string, text: string): boolean;
  delete(place: string): void;
}

/** @param storage where to keep them; reading the name of a blocked one fails already */
function browserStore(storage: () => Storage): BrowserStore {
  const ownTexts = new Map<string, string>();
  return {
    get(place) {
      try {
        return ownTexts.get(place) ?? storage().getItem(place);
      } catch {
        return null;
      }
    },
    set(place, text) {
      try {
        storage().setItem(place, text);
        ownTexts.delete(place);
        return true;
      } catch {
        ownTexts.set(place, text);
        return false;
      }
    },
    delete(place) {
      ownTexts.delete(place);
      try {
        storage().removeItem(place);
      } catch {
        // Blocked storage keeps nothing.
      }
    },
  };
}

/** Kept for this tab, until it is closed. */
export const tabStore = browserStore(() => sessionStorage);
/** Kept for all tabs, until the user deletes the data of the site. */
export const siteStore = browserStore(() => localStorage);
