//! Paths into a JSON document, as the library behind Flink's functions (Jayway JsonPath) reads them: `$.a[0]['b']`, `..name`, `[*]`, `[1:3]`,
//! `[?(@.price < 10)]`, with `strict` (the default) or `lax` before it.

use super::document::Json;

/// A path that was read.
pub(super) struct Path {
    /// Whether what is missing is an error.
    pub strict: bool,
    steps: Vec<Step>,
}

enum Step {
    Names(Vec<String>),
    Indices(Vec<i64>),
    Slice(Option<i64>, Option<i64>),
    Wild,
    /// The next step at any depth.
    Deep,
    Filter(Filter),
    /// `.length()`, `.min()` and their kin.
    Function(String),
}

enum Filter {
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Not(Box<Filter>),
    Exists(Vec<Step>),
    Compare(Operand, &'static str, Operand),
}

enum Operand {
    Path(Vec<Step>),
    Value(Json),
}

impl Path {
    /// Reads a path.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Path, String> {
        let trimmed = text.trim();
        let mode = |word: &str| {
            let rest = trimmed.get(word.len()..).filter(|_| trimmed[..word.len()].eq_ignore_ascii_case(word))?;
            rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
        };
        let (strict, spec) = match (mode("strict"), mode("lax")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => (true, trimmed),
        };
        let Some(rest) = spec.strip_prefix('$') else {
            return Err(format!("The path '{text}' does not begin with $"));
        };
        let mut reader = Reader { text: rest, at: 0, depth: 0 };
        let steps = reader.steps()?;
        match reader.at == rest.len() {
            true => Ok(Path { strict, steps }),
            false => Err(reader.wrong()),
        }
    }

    /// What it finds: nothing where that is missing and the path is lax.
    ///
    /// # Errors
    /// What is missing, where the path is strict.
    pub fn read(&self, document: &Json) -> Result<Option<Json>, String> {
        match find(&self.steps, document, document) {
            Err(_) if !self.strict => Ok(if is_definite(&self.steps) { None } else { Some(Json::Array(Vec::new())) }),
            found => found.map(Some),
        }
    }
}

/// Whether it leads to one value at most.
fn is_definite(steps: &[Step]) -> bool {
    steps.iter().all(|step| match step {
        Step::Names(names) => names.len() == 1,
        Step::Indices(indices) => indices.len() == 1,
        Step::Function(_) => true,
        _ => false,
    })
}

/// A path to one value as the library writes it: `$['a'][0]`.
fn written(steps: &[Step]) -> String {
    let mut out = String::from("$");
    for step in steps {
        match step {
            Step::Names(names) => out.push_str(&format!("['{}']", names.join("','"))),
            Step::Indices(indices) => indices.iter().for_each(|index| out.push_str(&format!("[{index}]"))),
            Step::Function(name) => out.push_str(&format!(".{name}()")),
            _ => out.push_str("[*]"),
        }
    }
    out
}

fn find(steps: &[Step], from: &Json, root: &Json) -> Result<Json, String> {
    let mut found = Vec::new();
    walk(steps, from, root, true, &mut found)?;
    match is_definite(steps) {
        true => found.pop().ok_or_else(|| format!("No results for path: {}", written(steps))),
        false => Ok(Json::Array(found)),
    }
}

/// Follows the steps from a value. As long as they were `definite`, one that makes no sense there is an error, later on it leads nowhere.
fn walk(steps: &[Step], value: &Json, root: &Json, definite: bool, found: &mut Vec<Json>) -> Result<(), String> {
    let Some((step, rest)) = steps.split_first() else {
        found.push(value.clone());
        return Ok(());
    };
    match (step, value) {
        (Step::Names(names), Json::Object(members)) if names.len() == 1 => {
            match members.iter().find(|(name, _)| *name == names[0]) {
                Some((_, member)) => walk(rest, member, root, definite, found),
                None if definite && !rest.is_empty() => Err(format!("Missing property in path ['{}']", names[0])),
                None => Ok(()),
            }
        }
        (Step::Names(names), Json::Object(members)) => {
            let chosen = members.iter().filter(|(name, _)| names.contains(name)).cloned().collect();
            walk(rest, &Json::Object(chosen), root, false, found)
        }
        (Step::Indices(indices), Json::Array(items)) => {
            let definite = definite && indices.len() == 1;
            for index in indices {
                let at = if *index < 0 { index + items.len() as i64 } else { *index };
                if let Some(item) = usize::try_from(at).ok().and_then(|at| items.get(at)) {
                    walk(rest, item, root, definite, found)?;
                }
            }
            Ok(())
        }
        (Step::Slice(from, to), Json::Array(items)) => {
            let len = items.len() as i64;
            let place = |at: Option<i64>, default: i64| match at {
                None => default,
                Some(at) if at < 0 => (at + len).max(0),
                Some(at) => at.min(len),
            };
            let (from, to) = (place(*from, 0), place(*to, len));
            let chosen = items.get(from as usize..to.max(from) as usize).unwrap_or_default();
            chosen.iter().try_for_each(|item| walk(rest, item, root, false, found))
        }
        (Step::Wild, Json::Array(items)) => items.iter().try_for_each(|item| walk(rest, item, root, false, found)),
        (Step::Wild, Json::Object(members)) => {
            members.iter().try_for_each(|(_, member)| walk(rest, member, root, false, found))
        }
        (Step::Wild, _) => Ok(()),
        (Step::Deep, value) => deep(rest, value, root, found),
        (Step::Filter(filter), Json::Array(items)) => items
            .iter()
            .filter(|item| holds(filter, item, root))
            .try_for_each(|item| walk(rest, item, root, false, found)),
        (Step::Filter(filter), object @ Json::Object(_)) => match holds(filter, object, root) {
            true => walk(rest, object, root, false, found),
            false => Ok(()),
        },
        (Step::Function(name), value) => match function(name, value) {
            Some(value) => walk(rest, &value, root, definite, found),
            None => Ok(()),
        },
        _ if definite => Err("The path does not fit the value there".to_owned()),
        _ => Ok(()),
    }
}

fn deep(rest: &[Step], value: &Json, root: &Json, found: &mut Vec<Json>) -> Result<(), String> {
    walk(rest, value, root, false, found)?;
    match value {
        Json::Array(items) => items.iter().try_for_each(|item| deep(rest, item, root, found)),
        Json::Object(members) => members.iter().try_for_each(|(_, member)| deep(rest, member, root, found)),
        _ => Ok(()),
    }
}

fn function(name: &str, value: &Json) -> Option<Json> {
    let numbers = |items: &[Json]| -> Vec<f64> {
        items.iter().filter_map(|item| if let Json::Number(text) = item { text.parse().ok() } else { None }).collect()
    };
    let number = |value: f64| {
        let mut text = String::new();
        tidegate_data::text::number::write_double(&mut text, value);
        Json::Number(text)
    };
    match (name, value) {
        ("length" | "size", Json::Array(items)) => Some(Json::Number(items.len().to_string())),
        ("length" | "size", Json::Object(members)) => Some(Json::Number(members.len().to_string())),
        ("keys", Json::Object(members)) => {
            Some(Json::Array(members.iter().map(|(name, _)| Json::Text(name.clone())).collect()))
        }
        ("first", Json::Array(items)) => items.first().cloned(),
        ("last", Json::Array(items)) => items.last().cloned(),
        ("min", Json::Array(items)) => numbers(items).into_iter().reduce(f64::min).map(number),
        ("max", Json::Array(items)) => numbers(items).into_iter().reduce(f64::max).map(number),
        ("sum", Json::Array(items)) => Some(number(numbers(items).iter().sum())),
        ("avg", Json::Array(items)) => {
            let numbers = numbers(items);
            (!numbers.is_empty()).then(|| number(numbers.iter().sum::<f64>() / numbers.len() as f64))
        }
        _ => None,
    }
}

fn holds(filter: &Filter, item: &Json, root: &Json) -> bool {
    match filter {
        Filter::And(parts) => parts.iter().all(|part| holds(part, item, root)),
        Filter::Or(parts) => parts.iter().any(|part| holds(part, item, root)),
        Filter::Not(part) => !holds(part, item, root),
        Filter::Exists(steps) => find(steps, item, root).is_ok(),
        Filter::Compare(left, op, right) => {
            let value = |operand: &Operand| match operand {
                Operand::Value(value) => Some(value.clone()),
                Operand::Path(steps) => find(steps, item, root).ok(),
            };
            let (left, right) = (value(left), value(right));
            match *op {
                "in" => matches!((&left, &right), (Some(left), Some(Json::Array(items))) if items.contains(left)),
                "nin" => !matches!((&left, &right), (Some(left), Some(Json::Array(items))) if items.contains(left)),
                "==" => left.is_some() && order(left.as_ref(), right.as_ref()).is_some_and(|o| o.is_eq()),
                "!=" => !(left.is_some() && order(left.as_ref(), right.as_ref()).is_some_and(|o| o.is_eq())),
                op => order(left.as_ref(), right.as_ref()).is_some_and(|order| match op {
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    _ => order.is_ge(),
                }),
            }
        }
    }
}

fn order(left: Option<&Json>, right: Option<&Json>) -> Option<std::cmp::Ordering> {
    match (left?, right?) {
        (Json::Number(a), Json::Number(b)) => a.parse::<f64>().ok()?.partial_cmp(&b.parse::<f64>().ok()?),
        (Json::Text(a), Json::Text(b)) => Some(a.cmp(b)),
        (a, b) => (a == b).then_some(std::cmp::Ordering::Equal),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn wrong(&self) -> String {
        format!("The path '${}' is wrong at position {}", self.text, self.at + 2)
    }

    fn eat(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    fn blank(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn steps(&mut self) -> Result<Vec<Step>, String> {
        let mut steps = Vec::new();
        loop {
            if self.eat("..") {
                steps.push(Step::Deep);
                if self.rest().starts_with('[') {
                    continue;
                }
                steps.push(self.name()?);
            } else if self.eat(".") {
                if !self.rest().starts_with('[') {
                    steps.push(self.name()?);
                }
            } else if self.eat("[") {
                steps.push(self.bracket()?);
            } else {
                return Ok(steps);
            }
        }
    }

    fn name(&mut self) -> Result<Step, String> {
        if self.eat("*") {
            return Ok(Step::Wild);
        }
        let end = self.rest().find([' ', '.', '[', '(', ')', ']', ',', '=', '<', '>', '!', '&', '|']);
        let name = self.rest()[..end.unwrap_or(self.rest().len())].to_owned();
        if name.is_empty() {
            return Err(self.wrong());
        }
        self.at += name.len();
        Ok(if self.eat("()") { Step::Function(name) } else { Step::Names(vec![name]) })
    }

    fn bracket(&mut self) -> Result<Step, String> {
        self.blank();
        let step = if self.eat("*") {
            Step::Wild
        } else if self.eat("?") {
            self.blank();
            if !self.eat("(") {
                return Err(self.wrong());
            }
            let filter = self.or()?;
            self.blank();
            if !self.eat(")") {
                return Err(self.wrong());
            }
            Step::Filter(filter)
        } else if self.rest().starts_with(['\'', '"']) {
            let mut names = vec![self.quoted()?];
            self.blank();
            while self.eat(",") {
                self.blank();
                names.push(self.quoted()?);
                self.blank();
            }
            Step::Names(names)
        } else {
            let first = self.integer();
            self.blank();
            if self.eat(":") {
                self.blank();
                Step::Slice(first, self.integer())
            } else {
                let mut indices = vec![first.ok_or_else(|| self.wrong())?];
                while self.eat(",") {
                    self.blank();
                    indices.push(self.integer().ok_or_else(|| self.wrong())?);
                    self.blank();
                }
                Step::Indices(indices)
            }
        };
        self.blank();
        if self.eat("]") { Ok(step) } else { Err(self.wrong()) }
    }

    fn integer(&mut self) -> Option<i64> {
        let sign = usize::from(self.rest().starts_with('-'));
        let digits = self.rest()[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest()[..sign + digits].parse().ok();
        if number.is_some() {
            self.at += sign + digits;
        }
        number
    }

    fn quoted(&mut self) -> Result<String, String> {
        let Some(quote) = self.rest().chars().next().filter(|c| matches!(c, '\'' | '"')) else {
            return Err(self.wrong());
        };
        let mut out = String::new();
        let mut chars = self.rest()[1..].char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => out.extend(chars.next().map(|(_, c)| c)),
                c if c == quote => {
                    self.at += at + 2;
                    return Ok(out);
                }
                c => out.push(c),
            }
        }
        Err(self.wrong())
    }

    fn or(&mut self) -> Result<Filter, String> {
        self.joined("||", Self::and, Filter::Or)
    }

    fn and(&mut self) -> Result<Filter, String> {
        self.joined("&&", Self::term, Filter::And)
    }

    fn joined(
        &mut self,
        word: &str,
        part: fn(&mut Self) -> Result<Filter, String>,
        join: fn(Vec<Filter>) -> Filter,
    ) -> Result<Filter, String> {
        self.depth += 1;
        if self.depth > 100 {
            return Err("The path's condition is nested too deep".to_owned());
        }
        let mut parts = vec![part(self)?];
        self.blank();
        while self.eat(word) {
            parts.push(part(self)?);
            self.blank();
        }
        self.depth -= 1;
        Ok(join(parts))
    }

    fn term(&mut self) -> Result<Filter, String> {
        self.blank();
        if self.eat("(") {
            let filter = self.or()?;
            self.blank();
            return if self.eat(")") { Ok(filter) } else { Err(self.wrong()) };
        }
        if self.rest().starts_with('!') {
            self.at += 1;
            self.depth += 1;
            if self.depth > 100 {
                return Err("The path's condition is nested too deep".to_owned());
            }
            let inner = self.term()?;
            self.depth -= 1;
            return Ok(Filter::Not(Box::new(inner)));
        }
        let left = self.operand()?;
        self.blank();
        for (word, op) in [
            ("==", "=="),
            ("!=", "!="),
            ("<=", "<="),
            (">=", ">="),
            ("<", "<"),
            (">", ">"),
            ("nin ", "nin"),
            ("in ", "in"),
        ] {
            if self.eat(word) {
                self.blank();
                return Ok(Filter::Compare(left, op, self.operand()?));
            }
        }
        match left {
            Operand::Path(steps) => Ok(Filter::Exists(steps)),
            Operand::Value(_) => Err(self.wrong()),
        }
    }

    fn operand(&mut self) -> Result<Operand, String> {
        if self.eat("@") {
            return Ok(Operand::Path(self.steps()?));
        }
        if self.rest().starts_with(['\'', '"']) {
            return Ok(Operand::Value(Json::Text(self.quoted()?)));
        }
        // The shortest piece that is a document: a number, a word, an array.
        let ends = self.rest().char_indices().map(|(at, c)| at + c.len_utf8());
        let closed = |end: &usize| {
            let next = self.rest()[*end..].chars().next();
            next.is_none_or(|c| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '+'))
        };
        let found = ends.filter(closed).take(1_000).find_map(|end| {
            let text = self.rest()[..end].replace('\'', "\"");
            Json::parse(&text).ok().map(|value| (end, value))
        });
        let (end, value) = found.ok_or_else(|| self.wrong())?;
        self.at += end;
        Ok(Operand::Value(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str, document: &str) -> Option<String> {
        let document = Json::parse(document).unwrap();
        Path::parse(path).unwrap().read(&document).unwrap().map(|found| found.text())
    }

    #[test]
    fn paths_find_what_they_name() {
        let document = r#"{"a":[{"b":1,"c":"x"},{"b":2,"c":"y"},{"b":3}],"d e":{"f":null}}"#;
        let check = |path: &str, wanted: &str| assert_eq!(read(path, document).as_deref(), Some(wanted), "{path}");
        check("$.a[0].b", "1");
        check("lax $['d e']['f']", "null");
        check("$.a[-1]", r#"{"b":3}"#);
        check("$.a[*].c", r#"["x","y"]"#);
        check("$..b", "[1,2,3]");
        check("$.a[1:].b", "[2,3]");
        check("$.a[0,2].b", "[1,3]");
        check("$.a[?(@.b > 1)].b", "[2,3]");
        check("$.a[?(@.c == 'x' || @.b == 3)].b", "[1,3]");
        check("$.a[?(!@.c)].b", "[3]");
        check("$.a[?(@.b in [1, 3])].b", "[1,3]");
        check("$.a.length()", "3");
        assert_eq!(read("lax $.z.y", document), None);
        assert!(Path::parse("$.z").unwrap().read(&Json::parse(document).unwrap()).is_err());
        for wrong in ["a", "$.", "$[", "$['a", "$[a]", "$.a[?(@.b >)]", "$ x"] {
            assert!(Path::parse(wrong).is_err(), "{wrong}");
        }
    }
}
