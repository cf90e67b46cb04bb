//! The letters in which judges write cells.

use bytes::Bytes;

/// The letters of a strip's cells.
#[derive(Debug)]
pub(crate) struct CellLetters {
    pub empty: u8,
    pub taken: u8,
}

impl CellLetters {
    /// No cell.
    const NONE: u8 = 0;

    /// The game's cells, `.` and `X`, of a word; others in the places of what are no letters.
    pub(crate) fn cells(&self, word: Bytes) -> Bytes {
        if (self.empty, self.taken) == (b'.', b'X') {
            return word;
        }
        let cell = |&letter: &u8| match letter {
            _ if letter == self.empty => b'.',
            _ if letter == self.taken => b'X',
            _ => CellLetters::NONE,
        };
        word.iter().map(cell).collect()
    }

    /// The letter of one of the game's cells.
    pub(crate) fn letter(&self, cell: u8) -> u8 {
        if cell == b'X' { self.taken } else { self.empty }
    }

    /// Both of them, as messages list them.
    pub(crate) fn all(&self) -> [char; 2] {
        [self.empty, self.taken].map(char::from)
    }
}

/// The letters of a grid's cells: the cell that each byte stands for, `NONE` for a byte that is no letter. A table, because
/// the letters of a grid follow no pattern that a branch could foresee.
#[derive(Debug)]
pub(crate) struct GridLetters {
    pub slash: char,
    pub backslash: char,
    pub both: char,
    cells: [u8; 256],
}

impl GridLetters {
    /// No cell.
    pub(crate) const NONE: u8 = 0;

    /// By cells: one that kills along down-left and up-right, one along down-right and up-left, and one along both.
    pub(crate) const fn new(slash: char, backslash: char, both: char) -> GridLetters {
        let mut cells = [GridLetters::NONE; 256];
        cells[slash as usize] = b'/';
        cells[backslash as usize] = b'\\';
        cells[both as usize] = b'X';
        GridLetters { slash, backslash, both, cells }
    }

    /// The cell of a letter.
    #[inline]
    pub(crate) fn cell(&self, letter: u8) -> u8 {
        self.cells[usize::from(letter)]
    }

    /// Whether a byte is a letter.
    pub(crate) fn has(&self, byte: &u8) -> bool {
        self.cell(*byte) != GridLetters::NONE
    }

    /// The letter of a cell.
    pub(crate) fn letter(&self, cell: u8) -> u8 {
        let letter = match cell {
            b'/' => self.slash,
            b'\\' => self.backslash,
            _ => self.both,
        };
        letter as u8
    }

    /// All of them, in the order of the alphabet.
    pub(crate) fn all(&self) -> [char; 3] {
        let mut all = [self.slash, self.backslash, self.both];
        all.sort_unstable();
        all
    }
}
