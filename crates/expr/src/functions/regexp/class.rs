//! Sets of characters: `[a-z&&[^x]]`, `\d`, `\p{Lu}`, as Java has them (ASCII unless said otherwise).

/// A set of characters.
#[derive(Clone, Debug)]
pub(super) enum Class {
    /// These ranges, both ends in them.
    Ranges(Vec<(char, char)>),
    /// What a test holds for.
    Test(fn(char) -> bool),
    /// Anything else.
    Not(Box<Class>),
    /// Any of them.
    Any(Vec<Class>),
    /// Both.
    Both(Box<Class>, Box<Class>),
    /// The set without regard to the case of ASCII letters.
    NoCase(Box<Class>),
}

impl Class {
    /// Whether a character is in the set.
    pub fn contains(&self, c: char) -> bool {
        match self {
            Class::Ranges(ranges) => ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)),
            Class::Test(test) => test(c),
            Class::Not(class) => !class.contains(c),
            Class::Any(classes) => classes.iter().any(|class| class.contains(c)),
            Class::Both(a, b) => a.contains(c) && b.contains(c),
            Class::NoCase(class) => {
                class.contains(c) || class.contains(c.to_ascii_lowercase()) || class.contains(c.to_ascii_uppercase())
            }
        }
    }

    /// One character.
    pub fn one(c: char) -> Class {
        Class::Ranges(vec![(c, c)])
    }

    fn negated_if(self, negate: bool) -> Class {
        if negate { Class::Not(Box::new(self)) } else { self }
    }

    /// The set that a letter behind a backslash means.
    pub fn escape(letter: char) -> Option<Class> {
        let class = match letter.to_ascii_lowercase() {
            'd' => Class::Ranges(vec![('0', '9')]),
            'w' => Class::Ranges(vec![('a', 'z'), ('A', 'Z'), ('_', '_'), ('0', '9')]),
            's' => Class::Ranges(vec![(' ', ' '), ('\t', '\r')]),
            'h' => Class::Test(|c| matches!(c, ' ' | '\t' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{3000}')),
            'v' => Class::Test(|c| matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')),
            _ => return None,
        };
        Some(class.negated_if(letter.is_ascii_uppercase()))
    }

    /// The set of a property, `\p{name}`.
    pub fn property(name: &str, negate: bool) -> Option<Class> {
        let class = match name {
            "Lower" => Class::Ranges(vec![('a', 'z')]),
            "Upper" => Class::Ranges(vec![('A', 'Z')]),
            "ASCII" => Class::Ranges(vec![('\0', '\u{7f}')]),
            "Alpha" => Class::Ranges(vec![('a', 'z'), ('A', 'Z')]),
            "Digit" => Class::Ranges(vec![('0', '9')]),
            "Alnum" => Class::Ranges(vec![('a', 'z'), ('A', 'Z'), ('0', '9')]),
            "Punct" => Class::Test(|c| c.is_ascii_punctuation()),
            "Graph" => Class::Ranges(vec![('!', '~')]),
            "Print" => Class::Ranges(vec![(' ', '~')]),
            "Blank" => Class::Ranges(vec![(' ', ' '), ('\t', '\t')]),
            "Cntrl" => Class::Ranges(vec![('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')]),
            "XDigit" => Class::Ranges(vec![('0', '9'), ('a', 'f'), ('A', 'F')]),
            "Space" => Class::Ranges(vec![(' ', ' '), ('\t', '\r')]),
            "L" | "IsL" | "IsLetter" | "IsAlphabetic" => Class::Test(char::is_alphabetic),
            "Lu" | "IsLu" | "IsUppercase" | "javaUpperCase" => Class::Test(char::is_uppercase),
            "Ll" | "IsLl" | "IsLowercase" | "javaLowerCase" => Class::Test(char::is_lowercase),
            "N" | "Nd" | "IsN" | "IsNd" | "IsDigit" => Class::Test(char::is_numeric),
            "Z" | "Zs" | "IsZ" | "IsWhite_Space" | "javaWhitespace" => Class::Test(char::is_whitespace),
            "C" | "Cc" | "IsControl" => Class::Test(char::is_control),
            "P" | "IsP" | "IsPunctuation" => Class::Test(|c| {
                c.is_ascii_punctuation() && !"$+<=>^`|~".contains(c) || ('\u{2010}'..='\u{2027}').contains(&c)
            }),
            "S" => Class::Test(|c| "$+<=>^`|~".contains(c) || ('\u{20a0}'..='\u{20c0}').contains(&c)),
            "IsLatin" => Class::Test(|c| c.is_alphabetic() && c < '\u{250}'),
            "IsGreek" => Class::Ranges(vec![('\u{370}', '\u{3ff}')]),
            "IsCyrillic" => Class::Ranges(vec![('\u{400}', '\u{52f}')]),
            "IsHan" => Class::Ranges(vec![('\u{2e80}', '\u{2fd5}'), ('\u{3400}', '\u{9fff}')]),
            _ => return None,
        };
        Some(class.negated_if(negate))
    }
}

/// What ends a line.
pub(super) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
